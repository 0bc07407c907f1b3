/* SPDX-License-Identifier: MIT */
/* Kernels that change tensor maps: a map is copied to shared memory, some of its fields are
 * replaced, it is copied to global memory, and a box is loaded by it. */
#include "emu/emu_bulk.h"
#include "emu/memory/tensor.h"

static uint32_t in[BULK_BYTES / 4], out[BULK_BYTES / 4];

/* %r20: the map in shared memory; %d20: its place in global memory, after the box's bytes. */
#define COPY                                                                                       \
  "add.u32 %r20, %r1, 16384; shl.b32 %r21, %r0, 2; add.u32 %r22, %r20, %r21;\n"                    \
  "cvt.u64.u32 %d21, %r21; add.u64 %d21, %d21, %d2; ld.u32 %r23, [%d21];\n"                        \
  "st.shared.u32 [%r22], %r23; bar.warp.sync -1; add.u64 %d20, %d1, 16384;\n"
#define USE                                                                                        \
  "bar.warp.sync -1;\n"                                                                            \
  "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%d20]," \
  " [%r20], 128;\n"                                                                                \
  "fence.proxy.tensormap::generic.acquire.gpu [%d20], 128;\n" INIT("1") EXPECT(                    \
      "$0") "@%p0 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "    \
            "[%r1], [%d20,"                                                                        \
            " {%r4, %r5}], [%r2];\n" WAIT("wait", "0") DUMP("$0")
#define SET(field)   "@%p0 tensormap.replace.tile." field ";\n"
#define FOUR_ROWS    SET("box_dim.shared::cta.b1024.b32 [%r20], 1, 4")
#define TYPE(number) SET("elemtype.shared::cta.b1024.b32 [%r20], " number)

static const TensorMap map = {.type = TENSOR_F32,
                              .rank = 2,
                              .dim = {64, 32},
                              .stride = {0, 256},
                              .box = {16, 8},
                              .step = {1, 1}};

static EmuResult *run_of(TensorType type, const char *name, const char *body) {
  TensorMap m = map;
  m.type = type;
  for (uint32_t i = 0; i < BULK_BYTES / 4; i++) in[i] = i * 0x9E3779B9u, out[i] = 0;
  const BulkRun r = {.name = name,
                     .body = body,
                     .with = {"256"},
                     .grid = 1,
                     .block = 32,
                     .cluster = 1,
                     .map = &m,
                     .coord = {16, 1},
                     .in = in,
                     .out = out};
  return bulk_run(&r);
}

static EmuResult *run(const char *name, const char *body) { return run_of(TENSOR_F32, name, body); }

/* Checks each row and column of the box; the tensor begins at word `word` of `in`, and its rows are
 * `pitch` words apart. */
static void check_box(const char *name, uint32_t word, uint32_t pitch, uint32_t step,
                      uint32_t cols) {
  for (uint32_t i = 0; i < 64; i++) {
    const uint32_t row = 1 + i / 16 * step, col = 16 + i % 16;
    const uint32_t want = col < cols ? in[word + row * pitch + col] : 0;
    CHECK(out[i] == want, "%s: word %u: 0x%x, not 0x%x", name, i, out[i], want);
  }
}

static void check_refused(const char *name, const char *body, const char *says) {
  EmuResult *r = run(name, body);
  CHECK(r->findings >= 1 && strstr(r->finding[0].message, says), "%s: %d findings: %s", name,
        r->findings, r->findings ? r->finding[0].message : "none");
  emu_result_free(r);
}

static void check_left_rounding(TensorType type, const char *body, const uint32_t want[64]) {
  EmuResult *r = run_of(type, "was tf32", body);
  CHECK(r->findings == 1 && r->finding[0].kind == EMU_HARDWARE &&
            strstr(r->finding[0].message, "goes on to round"),
        "was tf32: %d findings: %s", r->findings, r->findings ? r->finding[0].message : r->error);
  CHECK(memcmp(want, out, 64 * sizeof *want) == 0, "was tf32: word 1 is 0x%x", out[1]);
  emu_result_free(r);
}

/* A map that once had type tf32 still rounds f32, as on an H200, which then rejects other types; a
 * map that becomes tf32 starts to round. */
static void test_rounding(void) {
  static uint32_t want[64];
  EmuResult *r = run_of(TENSOR_TF32, "tf32", COPY FOUR_ROWS USE);
  check_clean(r, "tf32");
  memcpy(want, out, sizeof want);
  emu_result_free(r);
  r = run("becomes tf32", COPY FOUR_ROWS TYPE("11") USE);
  check_clean(r, "becomes tf32");
  CHECK(memcmp(want, out, sizeof want) == 0, "becomes tf32: word 1 is 0x%x", out[1]);
  emu_result_free(r);
  check_left_rounding(TENSOR_TF32, COPY FOUR_ROWS TYPE("7") USE, want);
  check_left_rounding(TENSOR_F32, COPY FOUR_ROWS TYPE("11") TYPE("7") USE, want);
  r = run_of(TENSOR_TF32, "u32 that was tf32", COPY FOUR_ROWS TYPE("2") USE);
  bool found = false;
  for (int i = 0; i < r->findings; i++)
    found |= r->finding[i].kind == EMU_MISALIGNED && strstr(r->finding[i].message, "of tf32 whose");
  CHECK(found, "u32 that was tf32: %d findings", r->findings);
  emu_result_free(r);
}

/* The largest extent is 2^32, of which 32 bits hold the last index. */
static void test_largest(void) {
  const uint64_t largest = UINT64_C(1) << 32;
  TensorMap m = map, got;
  unsigned char bytes[128];
  m.dim[0] = m.dim[1] = largest;
  CHECK(!emu_tensor_map_encode(&m, bytes), "extents of 2^32");
  CHECK(tensor_map_decode(bytes, &got) && got.dim[0] == largest && got.dim[1] == largest,
        "0x%llx, 0x%llx", (unsigned long long)got.dim[0], (unsigned long long)got.dim[1]);
  m.dim[1]++;
  CHECK(emu_tensor_map_encode(&m, bytes) != NULL, "an extent beyond 2^32");
}

/* CUTLASS clears bit 21 of the second word of each small tensor's map. */
static void test_bit_of_cutlass(void) {
  TensorMap m = map, got;
  uint64_t word[16];
  m.address = UINT64_C(0x7fffffffffff) & ~UINT64_C(15);
  CHECK(!emu_tensor_map_encode(&m, word), "a map at 0x%llx", (unsigned long long)m.address);
  word[1] &= ~(UINT64_C(1) << 21);
  CHECK(tensor_map_decode(word, &got) && got.address == m.address, "without bit 21: 0x%llx",
        (unsigned long long)got.address);
}

/* Triton begins with zeros, and leaves interleave and fill mode alone. */
static void test_from_zeros(void) {
  EmuResult *r = run(
      "from zeros",
      "add.u32 %r20, %r1, 16384; shl.b32 %r21, %r0, 2; add.u32 %r22, %r20, %r21;\n"
      "st.shared.u32 [%r22], 0; add.u64 %d20, %d1, 16384;\n"
      "add.u64 %d22, %d0, 512; mov.u64 %d23, 512; mov.u32 %r24, 24; mov.u32 %r25, 2;\n"
      "bar.warp.sync -1;\n" SET("global_address.shared::cta.b1024.b64 [%r20], %d22") SET(
          "rank.shared::cta.b1024.b32 [%r20], 1") SET("box_dim.shared::cta.b1024.b32 [%r20], 0, 16")
          SET("box_dim.shared::cta.b1024.b32 [%r20], 1, 8")
              SET("global_dim.shared::cta.b1024.b32 [%r20], 0, %r24")
                  SET("global_dim.shared::cta.b1024.b32 [%r20], 1, 16")
                      SET("global_stride.shared::cta.b1024.b64 [%r20], 0, %d23")
                          SET("element_stride.shared::cta.b1024.b32 [%r20], 0, 1")
                              SET("element_stride.shared::cta.b1024.b32 [%r20], 1, %r25") TYPE("2")
                                  SET("swizzle_mode.shared::cta.b1024.b32 [%r20], 0") USE);
  check_clean(r, "from zeros");
  check_box("from zeros", 128, 128, 2, 24);
  emu_result_free(r);
}

int main(void) {
  test_largest();
  test_from_zeros();
  test_bit_of_cutlass();
  test_rounding();
  EmuResult *r = run("some fields", COPY FOUR_ROWS USE);
  check_clean(r, "some fields");
  check_box("some fields", 0, 64, 1, 64);
  emu_result_free(r);
  r = run("all fields", COPY
          "add.u64 %d22, %d0, 512; mov.u64 %d23, 512; mov.u32 %r24, 24; mov.u32 %r25, 2;\n"
          "cvt.u64.u32 %d24, %r20; cvta.shared.u64 %d24, %d24;\n" SET(
              "global_address.shared::cta.b1024.b64 [%r20], %d22")
              SET("rank.shared::cta.b1024.b32 [%r20], 1") SET("box_dim.b1024.b32 [%d24], 0, 16")
                  SET("global_dim.shared::cta.b1024.b32 [%r20], 0, %r24")
                      SET("global_dim.shared::cta.b1024.b32 [%r20], 1, 16")
                          SET("global_stride.shared::cta.b1024.b64 [%r20], 0, %d23")
                              SET("element_stride.shared::cta.b1024.b32 [%r20], 1, %r25")
                                  SET("elemtype.shared::cta.b1024.b32 [%r20], 2")
                                      SET("interleave_layout.shared::cta.b1024.b32 [%r20], 0")
                                          SET("swizzle_mode.shared::cta.b1024.b32 [%r20], 0")
                                              SET("fill_mode.shared::cta.b1024.b32 [%r20], 0") USE);
  check_clean(r, "all fields");
  check_box("all fields", 128, 128, 2, 24);
  emu_result_free(r);
  check_refused(
      "no map",
      "st.shared.u32 [%r1], 1; tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r1], 1;",
      "no tensor map of the emulator's");
  check_refused("misaligned",
                COPY "tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r20+32], 1;",
                "no multiple of 64");
  check_refused("interleaved", COPY SET("interleave_layout.shared::cta.b1024.b32 [%r20], 1"),
                "interleaved");
  check_refused("one that no copy takes", COPY SET("rank.shared::cta.b1024.b32 [%r20], 7") USE,
                "there is no tensor map");
  return check_report("tensormap_test");
}
