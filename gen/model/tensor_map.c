/* SPDX-License-Identifier: MIT */
#include "model/tensor_map.h"

#include <string.h>

enum { MAX_STEP = 8, UNIT = 16, MAX_BYTES = 228 * 1024 };
#define MAX_DIM    (UINT64_C(1) << 32)
#define MAX_STRIDE (UINT64_C(1) << 40)

int tensor_type_bytes(TensorType type) {
  static const int bytes[TENSOR_TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  return bytes[type];
}

bool tensor_type_of(const Dtype *dtype, TensorType *out) {
  static const struct {
    const char *name;
    TensorType type;
  } named[] = {{"i32", TENSOR_S32},   {"i64", TENSOR_S64}, {"f16", TENSOR_F16},
               {"bf16", TENSOR_BF16}, {"f32", TENSOR_F32}, {"f64", TENSOR_F64}};
  static const TensorType plain[] = {TENSOR_U8, TENSOR_U16, TENSOR_U32, TENSOR_U64};
  for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
    if (strcmp(named[i].name, dtype->name) != 0) continue;
    *out = named[i].type;
    return true;
  }
  for (int i = 0; i < 4; i++) {
    if (dtype->bytes == 1 << i) *out = plain[i];
  }
  return dtype->bytes <= 8;
}

uint32_t tensor_map_extent(const TensorMap *m, int dimension) {
  const uint32_t step = dimension ? m->step[dimension] : 1;
  return (m->box[dimension] + step - 1) / step;
}

uint32_t tensor_map_box_bytes(const TensorMap *m) {
  uint32_t bytes = (uint32_t)tensor_type_bytes(m->type);
  for (int i = 0; i < m->rank; i++) bytes *= tensor_map_extent(m, i);
  return bytes;
}

static const char *refuse_dimension(const TensorMap *m, int i) {
  if (m->dim[i] == 0 || m->dim[i] > MAX_DIM) return "a dimension is not 1 to 2^32";
  if (m->box[i] == 0 || m->box[i] > TENSOR_MAX_BOX) return "a dimension of the box is not 1 to 256";
  if (i == 0) return NULL;
  if (m->stride[i] % UNIT || m->stride[i] >= MAX_STRIDE)
    return "a stride is not a multiple of 16 bytes below 2^40";
  return m->step[i] == 0 || m->step[i] > MAX_STEP ? "an element stride is not 1 to 8" : NULL;
}

/* The driver counts only whole steps here, although a copy also moves the first element of an
 * incomplete step [measured]. */
static bool is_too_large(const TensorMap *m) {
  uint64_t bytes = (uint64_t)tensor_type_bytes(m->type) * m->box[0];
  for (int i = 1; i < m->rank; i++) bytes *= m->box[i] / m->step[i];
  return bytes > MAX_BYTES;
}

const char *tensor_map_refusal(const TensorMap *m) {
  if (m->rank < 1 || m->rank > TENSOR_MAX_RANK) return "the rank is not 1 to 5";
  if (m->address % UNIT) return "the address is not a multiple of 16";
  if (m->fill_nan && m->type < TENSOR_F16) return "integers cannot be filled with NaN";
  for (int i = 0; i < m->rank; i++) {
    const char *why = refuse_dimension(m, i);
    if (why) return why;
  }
  if (is_too_large(m)) return "the box has more than 228 KiB";
  const uint32_t row = m->box[0] * (uint32_t)tensor_type_bytes(m->type);
  if (row % UNIT) return "the box's rows are not a multiple of 16 bytes";
  if (m->swizzle != 0 && m->swizzle != 32 && m->swizzle != 64 && m->swizzle != 128)
    return "the swizzle is not 0, 32, 64 or 128 bytes";
  if (m->atom32 && m->swizzle != 128) return "only the 128-byte swizzle has 32-byte atoms";
  return m->swizzle && row > (uint32_t)m->swizzle ? "the box's rows are wider than the swizzle"
                                                  : NULL;
}
