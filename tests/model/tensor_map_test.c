/* SPDX-License-Identifier: MIT */
/* The limits of a tensor map, and the bytes that its box moves: tests the requirements that cuda.h
 * states for cuTensorMapEncodeTiled by violating one at a time. */
#include "model/tensor_map.h"

#include "check.h"

static TensorMap good(void) {
  TensorMap m = {.type = TENSOR_F16, .rank = 3, .swizzle = 128, .address = 1 << 20};
  for (int i = 0; i < 3; i++) {
    m.dim[i] = 100;
    m.stride[i] = UINT64_C(1600) << i;
    m.box[i] = i ? 8 : 64;
    m.step[i] = 1;
  }
  return m;
}

static void refuse(const TensorMap *m, const char *part) {
  const char *why = tensor_map_refusal(m);
  CHECK(why && strstr(why, part), "want '%s', got '%s'", part, why ? why : "nothing");
}

#define BROKEN(change, part)                                                                       \
  do {                                                                                             \
    TensorMap m = good();                                                                          \
    m.change;                                                                                      \
    refuse(&m, part);                                                                              \
  } while (0)

static void test_refusals(void) {
  BROKEN(rank = 0, "rank");
  BROKEN(rank = 6, "rank");
  BROKEN(address += 8, "address");
  BROKEN(dim[2] = 0, "dimension");
  BROKEN(dim[0] = (UINT64_C(1) << 32) + 1, "2^32");
  BROKEN(stride[1] = 200, "stride");
  BROKEN(stride[2] = UINT64_C(1) << 40, "2^40");
  BROKEN(box[1] = 0, "box");
  BROKEN(box[1] = 257, "box");
  BROKEN(box[0] = 4, "16 bytes");
  BROKEN(box[0] = 128, "wider than the swizzle");
  BROKEN(swizzle = 16, "swizzle");
  BROKEN(step[1] = 0, "element stride");
  BROKEN(step[2] = 9, "element stride");
  TensorMap m = good();
  m.fill_nan = true;
  CHECK(!tensor_map_refusal(&m), "%s", tensor_map_refusal(&m));
  m.type = TENSOR_S64;
  m.box[0] = 16;
  refuse(&m, "integers");
}

static void test_sizes(void) {
  TensorMap m = good();
  CHECK(!tensor_map_refusal(&m), "%s", tensor_map_refusal(&m));
  CHECK(tensor_map_box_bytes(&m) == 64 * 8 * 8 * 2, "%u bytes", tensor_map_box_bytes(&m));
  m.step[1] = 3;
  m.step[0] = 5; /* the innermost has none */
  CHECK(tensor_map_extent(&m, 1) == 3, "%u", tensor_map_extent(&m, 1));
  CHECK(tensor_map_box_bytes(&m) == 64 * 3 * 8 * 2, "%u bytes", tensor_map_box_bytes(&m));
  m = good();
  m.dim[0] = UINT64_C(1) << 32;
  m.box[1] = 256;
  m.box[2] = 1;
  m.swizzle = 0;
  m.box[0] = 256;
  CHECK(!tensor_map_refusal(&m), "%s", tensor_map_refusal(&m));
}

/* 228 KiB of whole steps are the most. */
static void test_largest(void) {
  TensorMap m = good();
  m.box[1] = 115;
  m.step[1] = 2;
  m.box[2] = 32;
  CHECK(!tensor_map_refusal(&m), "%s", tensor_map_refusal(&m));
  m.box[1] = 116;
  refuse(&m, "228 KiB");
}

static void test_types(void) {
  for (int i = 0; i < dtype_count; i++) {
    TensorType type = TENSOR_TYPES;
    const bool has = tensor_type_of(&dtype_table[i], &type);
    CHECK(has == (dtype_table[i].bytes <= 8), "%s", dtype_table[i].name);
    CHECK(!has || tensor_type_bytes(type) == dtype_table[i].bytes, "%s", dtype_table[i].name);
  }
  TensorType type;
  CHECK(tensor_type_of(dtype_find("bf16"), &type) && type == TENSOR_BF16, "bf16");
  CHECK(tensor_type_of(dtype_find("e4m3"), &type) && type == TENSOR_U8, "e4m3");
}

int main(void) {
  test_refusals();
  test_sizes();
  test_largest();
  test_types();
  return check_report("tensor_map");
}
