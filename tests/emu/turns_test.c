/* SPDX-License-Identifier: MIT */
/* Scheduling while other warps wait. One warp repeatedly takes a lock, works, and returns it, in a
 * time that divides the warps' time slices: another warp must get the lock all the same, whatever
 * the loop has executed when its first slice ends. */
#include "emu/emu_run.h"

static Run two_warps(void *out, size_t bytes, uint64_t max_steps) {
  return (Run){.kernel = "k",
               .grid = 1,
               .block = 64,
               .out = out,
               .out_bytes = bytes,
               .threads = 1,
               .max_steps = max_steps};
}

/* out[0]: the lock; out[1]: the other warp had it. The loop has 16 instructions. */
static const char frame[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
    ".reg .pred %%p<4>; .reg .b32 %%r<8>; .reg .b64 %%d<2>;\n"
    "mov.u32 %%r0, %%tid.x; and.b32 %%r1, %%r0, 31; ld.param.u64 %%d0, [out];\n"
    "setp.ne.u32 %%p0, %%r1, 0; @%%p0 ret; setp.ne.u32 %%p0, %%r0, 0; @%%p0 bra other;\n"
    "%s\n"
    "again: atom.global.exch.b32 %%r2, [%%d0], 1; setp.ne.u32 %%p1, %%r2, 0; @%%p1 bra again;\n"
    "add.u32 %%r3, %%r3, 1; add.u32 %%r3, %%r3, 1; add.u32 %%r3, %%r3, 1;\n"
    "add.u32 %%r3, %%r3, 1; add.u32 %%r3, %%r3, 1; add.u32 %%r3, %%r3, 1;\n"
    "add.u32 %%r3, %%r3, 1; add.u32 %%r3, %%r3, 1; add.u32 %%r3, %%r3, 1;\n"
    "atom.global.exch.b32 %%r2, [%%d0], 0; ld.volatile.global.u32 %%r4, [%%d0+4];\n"
    "setp.eq.u32 %%p2, %%r4, 0; @%%p2 bra again; ret;\n"
    "other: atom.global.cas.b32 %%r2, [%%d0], 0, 1; setp.ne.u32 %%p1, %%r2, 0; @%%p1 bra other;\n"
    "st.volatile.global.u32 [%%d0+4], 1; atom.global.exch.b32 %%r2, [%%d0], 0; ret;\n}\n";

static void run_after(int instructions, bool unchecked) {
  char ptx[4096], before[512] = "";
  uint32_t out[2] = {0};
  for (int i = 0; i < instructions; i++) strcat(before, "mov.u32 %r3, 0; ");
  snprintf(ptx, sizeof ptx, frame, before);
  Machine m = machine_open(ptx, strlen(ptx));
  const Run run = two_warps(out, sizeof out, 200000);
  EmuResult *r = machine_launch(&m, &run, unchecked);
  check_clean(r, unchecked ? "unjudged" : "judged");
  CHECK(out[1] == 1, "after %d instructions the other warp never had the lock", instructions);
  emu_result_free(r);
  machine_close(&m);
}

/* Lanes diverge and reconverge after each poll, so that slices end between the poll and the
 * reconvergence: two such warps that wait for a write that never comes are reported as waiting, not
 * as executing too much. */
static const char waiting[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
    ".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %d<2>;\n"
    "mov.u32 %r0, %laneid; and.b32 %r1, %r0, 1; ld.param.u64 %d0, [out];\n"
    "setp.ne.u32 %p0, %r1, 0;\n"
    "again: ld.volatile.global.u32 %r4, [%d0+4]; setp.eq.u32 %p1, %r4, 0;\n"
    "add.u32 %r3, %r3, 1; @%p0 bra meet; add.u32 %r3, %r3, 1; add.u32 %r3, %r3, 1;\n"
    "meet: vote.sync.any.pred %p2, %p1, 0xffffffff; @%p2 bra again; ret;\n}\n";

static void wait_for_ever(bool unchecked) {
  uint32_t out[2] = {0};
  Machine m = machine_open(waiting, strlen(waiting));
  const Run run = two_warps(out, sizeof out, 200000);
  EmuResult *r = machine_launch(&m, &run, unchecked);
  CHECK(r->findings == 1 && r->finding[0].kind == EMU_MAX_STEPS, "%d findings", r->findings);
  if (r->findings)
    CHECK(strstr(r->finding[0].message, "is spinning: no warp changed memory"), "%s",
          r->finding[0].message);
  emu_result_free(r);
  machine_close(&m);
}

/* A grid barrier whose count is read by one thread, and passed to its block through shared
 * memory in each iteration of the loop, as Triton does. Blocks after the first must also get
 * time slices. */
static const char grid_barrier[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
    ".reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %d<2>; .shared .b32 seen;\n"
    "mov.u32 %r0, %tid.x; ld.param.u64 %d0, [out]; setp.eq.u32 %p0, %r0, 0; mov.u32 %r1, 0;\n"
    "@%p0 red.release.gpu.global.add.u32 [%d0], 1;\n"
    "again: bar.sync 0; @%p0 ld.acquire.gpu.global.u32 %r1, [%d0];\n"
    "@%p0 st.shared.u32 [seen], %r1; bar.sync 0; ld.shared.u32 %r2, [seen];\n"
    "mov.u32 %r3, %nctaid.x; setp.lt.u32 %p1, %r2, %r3; @%p1 bra again; ret;\n}\n";

static void test_grid_barrier(bool unchecked, int threads) {
  enum { BLOCKS = 24 };
  uint32_t out = 0;
  Machine m = machine_open(grid_barrier, sizeof grid_barrier - 1);
  const Run run = {.kernel = "k",
                   .grid = BLOCKS,
                   .block = 128,
                   .out = &out,
                   .out_bytes = sizeof out,
                   .threads = threads,
                   .max_steps = 200000};
  EmuResult *r = machine_launch(&m, &run, unchecked);
  check_clean(r, "a barrier of the grid");
  CHECK(out == BLOCKS, "%u blocks came to the grid's barrier", out);
  emu_result_free(r);
  machine_close(&m);
}

/* A loop with a barrier whose warps continue endlessly, and poll nothing, is ended by the
 * instruction limit. */
static void test_endless(void) {
  static const char endless[] =
      ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
      "again: bar.sync 0; bra again;\n}\n";
  uint32_t out = 0;
  Machine m = machine_open(endless, sizeof endless - 1);
  const Run run = two_warps(&out, sizeof out, 20000);
  EmuResult *r = machine_launch(&m, &run, false);
  CHECK(r->findings == 1 && r->finding[0].kind == EMU_MAX_STEPS, "%d findings", r->findings);
  emu_result_free(r);
  machine_close(&m);
}

int main(void) {
  enum { LOOP = 16 };
  wait_for_ever(false);
  wait_for_ever(true);
  for (int i = 0; i < LOOP; i++) {
    run_after(i, false);
    run_after(i, true);
  }
  for (int threads = 1; threads < 3; threads++) {
    test_grid_barrier(false, threads);
    test_grid_barrier(true, threads);
  }
  test_endless();
  return check_report("emu_turns");
}
