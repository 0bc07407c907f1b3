/* SPDX-License-Identifier: MIT */
/* Kernels of tests/emu/cases/wgmma.cu: pipelines of products with the right results and no finding,
 * and one planted fault each, found with its kind and line. */
#include "emu/arith_exact.h"
#include "emu/emu_nvrtc.h"

enum { ROWS = 64, DEPTH = 256, OUT = ROWS * ROWS };

static uint16_t in[2][ROWS][DEPTH];
static float want[ROWS][ROWS];

/* Small halves, whose sums are exact. */
static void fill(void) {
  uint32_t state = 5;
  for (int m = 0; m < 2; m++)
    for (int i = 0; i < ROWS; i++)
      for (int k = 0; k < DEPTH; k++) {
        state = state * 1664525u + 1013904223u;
        const int n = (int)(state >> 16) % 9 - 4;
        const Exact e = exact_make((ExactWide)(n < 0 ? -n : n), -1, n < 0);
        in[m][i][k] = (uint16_t)exact_round(&kExactF16, &e, EXACT_RN);
      }
}

static float value(uint16_t half) {
  float x = (float)((half & 0x3ff) | ((half & 0x7c00) ? 0x400 : 0)) / 1024;
  for (int e = (half >> 10 & 31) - 15; e > 0; e--) x *= 2;
  for (int e = (half >> 10 & 31) - 15; e < 0; e++) x /= 2;
  return half & 0x7fff ? half >> 15 ? -x : x : 0;
}

static void multiply(void) {
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < ROWS; j++)
      for (int k = 0; k < DEPTH; k++) want[i][j] += value(in[0][i][k]) * value(in[1][j][k]);
}

static EmuResult *run(Machine *m, const char *kernel, uint32_t block, float *out) {
  memset(out, 0, OUT * sizeof *out);
  const Run r = {kernel, 1, block, in, sizeof in, out, OUT * sizeof *out, 0, 1 << 20, 1, 0};
  return machine_run(m, &r);
}

static void check_pipeline(Machine *m, const char *kernel, uint32_t block, unsigned products,
                           unsigned wavefronts) {
  static float out[OUT];
  EmuResult *r = run(m, kernel, block, out);
  check_clean(r, kernel);
  CHECK(memcmp(out, want, sizeof out) == 0, "%s: wrong results", kernel);
  CHECK(r->wgmma.wavefronts == (uint64_t)products * wavefronts, "%s: %d wavefronts", kernel,
        (int)r->wgmma.wavefronts);
  emu_result_free(r);
}

typedef struct {
  const char *kernel;
  uint32_t block;
  EmuFindingKind kind;
  EmuFindingKind other; /* may be found, too, wherever: the other side of a race */
  const char *message;  /* a part of it, or NULL */
} Fault;

static const Fault faults[] = {
    {"no_proxy_fence", 128, EMU_PROXY, EMU_PROXY, NULL},
    {"no_barrier", 128, EMU_RACE, EMU_RACE, NULL},
    {"early_read", 128, EMU_IN_FLIGHT, EMU_IN_FLIGHT, "before wgmma.wait_group has waited for it"},
    {"not_committed", 128, EMU_IN_FLIGHT, EMU_IN_FLIGHT, "before wgmma.commit_group"},
    {"overwritten_uncommitted", 128, EMU_IN_FLIGHT, EMU_IN_FLIGHT,
     "no wgmma.commit_group has committed it"},
    {"waits_for_too_few", 128, EMU_IN_FLIGHT, EMU_IN_FLIGHT, NULL},
    {"changed_accumulator", 128, EMU_IN_FLIGHT, EMU_WARPGROUP, NULL},
    {"changed_operand", 128, EMU_IN_FLIGHT, EMU_IN_FLIGHT, NULL},
    {"no_fence", 128, EMU_WARPGROUP, EMU_WARPGROUP, NULL},
    {"no_second_fence", 128, EMU_WARPGROUP, EMU_WARPGROUP, NULL},
    {"overwritten", 128, EMU_IN_FLIGHT, EMU_IN_FLIGHT, NULL},
    {"copied_over", 128, EMU_IN_FLIGHT, EMU_IN_FLIGHT, "no wgmma.wait_group has waited for it"},
    {"overwritten_behind_no_barrier", 256, EMU_RACE, EMU_RACE, NULL},
    {"released_too_early", 256, EMU_IN_FLIGHT, EMU_IN_FLIGHT, NULL},
    {"wrong_base_offset", 128, EMU_WARPGROUP, EMU_WARPGROUP, NULL},
    {"beyond_shared", 128, EMU_OUT_OF_BOUNDS, EMU_OUT_OF_BOUNDS, NULL},
    {"different_descriptors", 128, EMU_WARPGROUP, EMU_WARPGROUP, NULL},
    {"three_warps", 128, EMU_BARRIER, EMU_BARRIER, NULL},
    {"half_a_warp", 128, EMU_BARRIER, EMU_BARRIER, NULL},
    {"undefined_tile", 128, EMU_UNINITIALISED, EMU_UNINITIALISED, NULL},
    {"pool_too_short", 384, EMU_BARRIER, EMU_BARRIER, NULL},
    {"more_by_dec", 384, EMU_WARPGROUP, EMU_WARPGROUP, NULL},
};

static void check_fault(Machine *m, const Fault *f, const char *source) {
  static float out[OUT];
  const int line = fault_line(source, f->kernel);
  EmuResult *r = run(m, f->kernel, f->block, out);
  bool found = false;
  for (int i = 0; i < r->findings; i++) {
    const EmuFinding *is = &r->finding[i];
    const bool at_line =
        is->kind == f->kind && is->line == line && (!f->message || strstr(is->message, f->message));
    found |= at_line;
    CHECK(at_line || is->kind == f->other, "%s: %s at line %d: %s", f->kernel,
          emu_finding_kind_name[is->kind], is->line, is->message);
  }
  CHECK(found, "%s: no %s at line %d", f->kernel, emu_finding_kind_name[f->kind], line);
  emu_result_free(r);
}

int main(void) {
  Arena *a = arena_new();
  Text why = text_new(a);
  const char *source, *ptx = nvrtc_ptx(a, "wgmma", "90a", &source, &why);
  if (!ptx) return check_skip("emu_wgmma_nvrtc", why.s);
  fill();
  multiply();
  Machine m = machine_open(ptx, strlen(ptx));
  enum { PRODUCTS = DEPTH / 16, BOTH = 32, ONE = 16 };
  check_pipeline(&m, "single_buffer", 128, PRODUCTS, BOTH);
  check_pipeline(&m, "scale_from_an_accumulator", 128, PRODUCTS, BOTH);
  check_pipeline(&m, "amid_the_swizzle", 128, PRODUCTS, BOTH);
  check_pipeline(&m, "double_buffer", 128, PRODUCTS, BOTH);
  check_pipeline(&m, "operand_in_registers", 128, PRODUCTS, ONE);
  check_pipeline(&m, "specialised", 256, PRODUCTS, BOTH);
  check_pipeline(&m, "two_consumers", 384, 2 * PRODUCTS, BOTH);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) check_fault(&m, &faults[i], source);
  static float out[OUT];
  EmuResult *r = run(&m, "copied_after", 128, out);
  check_clean(r, "copied_after");
  emu_result_free(r);
  machine_close(&m);
  arena_free(a);
  return check_report("emu_wgmma_nvrtc");
}
