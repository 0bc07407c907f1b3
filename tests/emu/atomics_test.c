/* Wavefronts of shared atomics, one warp instruction each, against what an H200 counted
 * (sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum): data/h200_atomics.csv. */
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

int main(void) {
  static Row row[MOST];
  const int count = read_rows(row);
  CHECK(count == 140, "%d rows", count);
  for (int i = 0; i < count; i++) check_row(&row[i]);
  return check_report("emu_atomics");
}
