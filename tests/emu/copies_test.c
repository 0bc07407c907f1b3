/* SPDX-License-Identifier: MIT */
/* One cp.async in a loop, with other sources in each iteration and the same targets: its cost is
 * computed for each iteration's lanes, not taken from an earlier one. */
#include "emu/emu_run.h"
#include "model/cp_async.h"

enum { BYTES = 16, TURNS = 4, FARTHEST = BYTES << (TURNS - 1) };

/* In iteration t, lane l copies 16 bytes from byte l * (16 << t) to byte l * 16. */
static const char kernel[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
    ".reg .pred %%p<2>; .reg .b32 %%r<8>; .reg .b64 %%d<8>; .shared .align 128 .b8 s[512];\n"
    "mov.u32 %%r0, %%tid.x; ld.param.u64 %%d0, [in]; mov.u32 %%r1, s;\n"
    "mad.lo.u32 %%r2, %%r0, 16, %%r1; mov.u32 %%r3, 4;\n"
    "turn: shl.b32 %%r4, %%r0, %%r3; cvt.u64.u32 %%d1, %%r4; add.u64 %%d2, %%d0, %%d1;\n"
    "cp.async.%s.shared.global [%%r2], [%%d2], 16; cp.async.wait_all;\n"
    "add.u32 %%r3, %%r3, 1; setp.lt.u32 %%p0, %%r3, 8; @%%p0 bra turn;\nret;\n}\n";

static unsigned wavefronts_of(CopyCache cache) {
  int64_t target[WARP], source[WARP];
  unsigned sum = 0;
  for (int turn = 0; turn < TURNS; turn++) {
    for (int lane = 0; lane < WARP; lane++) {
      target[lane] = lane * BYTES;
      source[lane] = (int64_t)lane * (BYTES << turn);
    }
    sum += (unsigned)cp_async_wavefronts(cache, BYTES, UINT32_MAX, target, source);
  }
  return sum;
}

static void check_cache(CopyCache cache, const char *name) {
  static const char in[WARP * FARTHEST];
  uint64_t out = 0;
  char ptx[2048];
  snprintf(ptx, sizeof ptx, kernel, name);
  Machine m = machine_open(ptx, strlen(ptx));
  const Run run = {.kernel = "k",
                   .grid = 1,
                   .block = WARP,
                   .in = in,
                   .in_bytes = sizeof in,
                   .out = &out,
                   .out_bytes = sizeof out,
                   .threads = 1};
  EmuResult *result = machine_run(&m, &run);
  check_clean(result, name);
  CHECK(result->copy.wavefronts == wavefronts_of(cache), "%s: %d wavefronts, not %u", name,
        (int)result->copy.wavefronts, wavefronts_of(cache));
  emu_result_free(result);
  machine_close(&m);
}

int main(void) {
  check_cache(COPY_CG, "cg");
  check_cache(COPY_CA, "ca");
  return check_report("emu_copies");
}
