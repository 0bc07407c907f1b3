/* SPDX-License-Identifier: MIT */
/* Wavefronts of shared atomics, one warp instruction each, compared with the count of an H200
 * (sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum): data/h200_atomics.csv. Atomics
 * in global memory leave the same bits in checked and unchecked launches. */
#include "device/native_values.h"
#include "emu/emu_run.h"

enum { LANES_OF_WARP = 32, MOST = 400 };

typedef struct {
  char op[16];
  int bytes, offset[LANES_OF_WARP];
  unsigned wavefronts;
} Row;

static int read_rows(Row row[MOST]) {
  Arena *a = arena_new();
  size_t length;
  char *at = file_read(a, KGEN_SOURCE_DIR "/tests/emu/data/h200_atomics.csv", 1 << 20, &length);
  int count = 0;
  if (!at) die("no data/h200_atomics.csv");
  for (at = strchr(at, '\n') + 1; *at && count < MOST; at = strchr(at, '\n') + 1) {
    Row *r = &row[count++];
    int used;
    sscanf(at, "%15[^,],%d,%n", r->op, &r->bytes, &used);
    for (int lane = 0, n; lane < LANES_OF_WARP; lane++, used += n)
      sscanf(at + used, "%d%n", &r->offset[lane], &n);
    sscanf(at + used, ",%u", &r->wavefronts);
  }
  arena_free(a);
  return count;
}

/* A kernel with one atomic, by the lanes whose offset is not negative. */
static const char *ptx_of(Arena *a, const char *op) {
  const bool red = strncmp(op, "red.", 4) == 0, wide = strstr(op, "64") != NULL;
  const char *name = red ? op + 4 : op, *reg = wide ? "d" : "r";
  const char *space = arena_printf(a, "%s.shared.%s", red ? "red" : "atom", name);
  const char *old = red ? "" : arena_printf(a, "%%%s9, ", reg);
  const char *swap = strncmp(op, "cas", 3) == 0 ? arena_printf(a, "%%%s8, ", reg) : "";
  return arena_printf(
      a,
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
      ".reg .pred %%p<2>; .reg .b32 %%r<10>; .reg .b64 %%d<10>; .shared .align 16 .b8 s[16384];\n"
      "mov.u32 %%r0, %%tid.x; ld.param.u64 %%d0, [in]; mad.wide.u32 %%d0, %%r0, 4, %%d0;\n"
      "ld.global.u32 %%r1, [%%d0]; setp.ge.s32 %%p0, %%r1, 0; mov.u32 %%r2, s;\n"
      "shl.b32 %%r4, %%r0, 9; add.u32 %%r4, %%r4, %%r2; mov.u32 %%r5, 0;\n"
      "fill: add.u32 %%r6, %%r4, %%r5; st.shared.u32 [%%r6], %%r0; add.u32 %%r5, %%r5, 4;\n"
      "setp.lt.u32 %%p1, %%r5, 512; @%%p1 bra fill; bar.warp.sync -1;\n"
      "add.u32 %%r3, %%r1, %%r2; mov.u32 %%r8, 5; mov.u64 %%d8, 5; mov.u64 %%d7, 7;\n"
      "mov.u32 %%r7, 7; @%%p0 %s %s[%%r3], %s%%%s7;\nret;\n}\n",
      space, old, swap, reg);
}

static void check_row(const Row *r) {
  Arena *a = arena_new();
  const char *ptx = ptx_of(a, r->op);
  Machine m = machine_open(ptx, strlen(ptx));
  int errors;
  uint64_t out = 0;
  emu_errors(m.module, &errors);
  if (!errors) {
    const Run run = {.kernel = "k",
                     .grid = 1,
                     .block = 32,
                     .in = r->offset,
                     .in_bytes = sizeof r->offset,
                     .out = &out,
                     .out_bytes = sizeof out,
                     .threads = 1};
    EmuResult *result = machine_run(&m, &run);
    CHECK(result->atomic.wavefronts == r->wavefronts, "%s from %d, %d, %d on: %d, not %u", r->op,
          r->offset[0], r->offset[1], r->offset[2], (int)result->atomic.wavefronts, r->wavefronts);
    emu_result_free(result);
  }
  machine_close(&m);
  arena_free(a);
}

/* Each thread updates a word of its own, and keeps what was there. */
static const char *global_of(Arena *a, const char *op) {
  const bool wide = strstr(op, "64") != NULL;
  const char *type = wide ? "u64" : "u32", *reg = wide ? "d" : "r";
  return arena_printf(
      a,
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
      ".reg .b32 %%r<10>; .reg .b64 %%d<10>;\n"
      "ld.param.u64 %%d0, [in]; ld.param.u64 %%d1, [out];\n"
      "mov.u32 %%r0, %%ctaid.x; mov.u32 %%r1, %%tid.x;\n"
      "mad.lo.u32 %%r0, %%r0, 32, %%r1; mad.wide.u32 %%d0, %%r0, 16, %%d0;\n"
      "mad.wide.u32 %%d1, %%r0, 16, %%d1;\n"
      "ld.global.%s %%%s4, [%%d0]; ld.global.%s %%%s5, [%%d0+8];\n"
      "st.global.%s [%%d1], %%%s4;\n"
      "atom.global.%s %%%s6, [%%d1], %%%s5; st.global.%s [%%d1+8], %%%s6;\nret;\n}\n",
      type, reg, type, reg, type, reg, op, reg, reg, type, reg);
}

/* machine_run compares with an unchecked launch. */
static void check_global(const char *op) {
  enum { BLOCKS = 64, WORDS = BLOCKS * LANES_OF_WARP * 4 };
  static uint32_t in[WORDS], out[WORDS];
  Arena *a = arena_new();
  const char *ptx = global_of(a, op);
  Machine m = machine_open(ptx, strlen(ptx));
  uint64_t state = 5;
  for (int i = 0; i < WORDS; i++) in[i] = values_word(&state);
  const Run run = {.kernel = "k",
                   .grid = BLOCKS,
                   .block = LANES_OF_WARP,
                   .in = in,
                   .in_bytes = sizeof in,
                   .out = out,
                   .out_bytes = sizeof out,
                   .threads = 1};
  EmuResult *result = machine_run(&m, &run);
  check_clean(result, op);
  emu_result_free(result);
  machine_close(&m);
  arena_free(a);
}

/* A sum of two NaNs: in shared memory what was there, made quiet; in global memory the operand, as
 * it is. An H200 leaves them so. */
static void check_nans(void) {
  static const char ptx[] =
      ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
      ".reg .b64 %d<5>; .reg .f64 %f<2>; .shared .align 8 .b64 word;\n"
      "ld.param.u64 %d0, [out]; mov.b64 %d1, 0x7ff0000000000001; mov.b64 %d2, 0xfff0000000000002;\n"
      "mov.b64 %f0, %d2; st.shared.b64 [word], %d1; red.shared.add.f64 [word], %f0;\n"
      "ld.shared.b64 %d3, [word]; st.global.b64 [%d0], %d3;\n"
      "st.global.b64 [%d0+8], %d1; red.global.add.f64 [%d0+8], %f0; ret;\n}\n";
  uint64_t out[2] = {0};
  Machine m = machine_open(ptx, strlen(ptx));
  const Run run = {.kernel = "k", .grid = 1, .block = 1, .out = out, .out_bytes = sizeof out};
  EmuResult *r = machine_run(&m, &run);
  check_clean(r, "NaNs");
  CHECK(out[0] == 0x7ff8000000000001, "shared: %llx", (unsigned long long)out[0]);
  CHECK(out[1] == 0xfff0000000000002, "global: %llx", (unsigned long long)out[1]);
  emu_result_free(r);
  machine_close(&m);
}

int main(void) {
  check_nans();
  static const char *const global[] = {"add.u32", "add.s32", "add.u64",  "add.f32",
                                       "add.f64", "min.s32", "max.u64",  "and.b32",
                                       "xor.b64", "inc.u32", "exch.b32", "exch.b64"};
  for (size_t i = 0; i < sizeof global / sizeof *global; i++) check_global(global[i]);
  static Row row[MOST];
  const int count = read_rows(row);
  CHECK(count == 140, "%d rows", count);
  for (int i = 0; i < count; i++) check_row(&row[i]);
  return check_report("emu_atomics");
}
