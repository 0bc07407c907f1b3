/* Emulated lane-instructions per second of CPU time, by kind of kernel, on one host thread and on
 * all. "races": with races in global memory looked for, as --lint and --run do. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "emu/emu.h"

static const char arithmetic[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry bench(.param .u64 out)\n{\n"
    ".reg .pred %p; .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .b64 %d<4>;\n"
    "mov.u32 %r1, %tid.x; cvt.rn.f32.u32 %f1, %r1; mov.u32 %r2, 0; mov.f32 %f2, 0f3F800000;\n"
    "loop:\n"
    "fma.rn.f32 %f2, %f2, %f1, %f2; mad.lo.s32 %r3, %r2, %r1, %r2; xor.b32 %r4, %r3, %r2;\n"
    "add.f32 %f3, %f2, %f1; shl.b32 %r5, %r4, 2; mul.f32 %f2, %f3, 0f3F000000;\n"
    "add.s32 %r2, %r2, 1; setp.lt.u32 %p, %r2, 400; @%p bra loop;\n"
    "ld.param.u64 %d1, [out]; mul.wide.u32 %d2, %r1, 4; add.s64 %d1, %d1, %d2;\n"
    "st.global.f32 [%d1], %f2; ret;\n}\n";

static const char shared[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry bench(.param .u64 out)\n{\n"
    ".reg .pred %p; .reg .b32 %r<8>; .reg .b64 %d<4>;\n.shared .align 4 .b8 tile[4096];\n"
    "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, tile; add.s32 %r3, %r3, %r2;\n"
    "mov.u32 %r4, 0; st.shared.u32 [%r3], %r4; xor.b32 %r5, %r3, 128; bar.sync 0;\n"
    "loop:\n"
    "ld.shared.u32 %r6, [%r5]; add.s32 %r6, %r6, %r4; bar.sync 0;\n"
    "st.shared.u32 [%r3], %r6; add.s32 %r4, %r4, 1; bar.sync 0;\n"
    "setp.lt.u32 %p, %r4, 400; @%p bra loop;\n"
    "ld.param.u64 %d1, [out]; mul.wide.u32 %d2, %r1, 4; add.s64 %d1, %d1, %d2;\n"
    "st.global.u32 [%d1], %r6; ret;\n}\n";

/* Tiles of 8 x 32 words through shared memory, rows in and columns out: 16 words a thread. */
static const char transpose[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry bench(.param .u64 out)\n{\n"
    ".reg .pred %p; .reg .b32 %r<12>; .reg .b64 %d<4>;\n.shared .align 4 .b8 tile[4224];\n"
    "mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; and.b32 %r3, %r1, 31; mov.u32 %r4, tile;\n"
    "mad.lo.s32 %r5, %r2, 132, %r4; mad.lo.s32 %r5, %r3, 4, %r5;\n"
    "and.b32 %r6, %r3, 7; mad.lo.s32 %r6, %r6, 132, %r4; shr.u32 %r9, %r3, 3;\n"
    "mad.lo.s32 %r6, %r9, 4, %r6; mad.lo.s32 %r6, %r2, 16, %r6;\n"
    "mov.u32 %r7, %ctaid.x; mad.lo.s32 %r7, %r7, 4096, %r1; mov.u32 %r8, 0;\n"
    "ld.param.u64 %d1, [out]; mul.wide.u32 %d2, %r7, 4; add.s64 %d1, %d1, %d2;\n"
    "loop:\n"
    "ld.global.u32 %r9, [%d1]; st.shared.u32 [%r5], %r9; bar.sync 0;\n"
    "ld.shared.u32 %r10, [%r6]; st.global.u32 [%d1+1048576], %r10; bar.sync 0;\n"
    "add.s64 %d1, %d1, 1024; add.s32 %r8, %r8, 1; setp.lt.u32 %p, %r8, 16; @%p bra loop;\n"
    "ret;\n}\n";

static const char mma[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry bench(.param .u64 out)\n{\n"
    ".reg .pred %p; .reg .b32 %r<8>; .reg .f32 %f<4>; .reg .b64 %d<4>;\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.b32 %r3, 0x3C003800; mov.f32 %f0, 0f00000000;\n"
    "mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0;\n"
    "loop:\n"
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r3, %r3, %r3, %r3},"
    " {%r3, %r3}, {%f0, %f1, %f2, %f3};\n"
    "add.s32 %r2, %r2, 1; setp.lt.u32 %p, %r2, 100; @%p bra loop;\n"
    "ld.param.u64 %d1, [out]; mul.wide.u32 %d2, %r1, 4; add.s64 %d1, %d1, %d2;\n"
    "st.global.f32 [%d1], %f0; ret;\n}\n";

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* CPU seconds of the fastest of several runs. */
static void measure(const char *name, const char *ptx, int threads, bool races) {
  enum { RUNS = 3, BLOCKS = 64, THREADS = 256, BYTES = 4 << 20 };
  EmuMemory *memory = emu_memory_new();
  EmuModule *module = emu_load(memory, ptx, strlen(ptx));
  uint64_t out = emu_alloc(memory, BYTES, "out"), lanes = 0;
  const void *args[] = {&out};
  EmuLaunch launch = {.kernel = "bench",
                      .grid = {BLOCKS, 1, 1},
                      .block = {THREADS, 1, 1},
                      .args = args,
                      .threads = threads,
                      .ignore_global_races = !races};
  double best = 1e9;
  for (int i = 0; i < RUNS; i++) {
    double start = now();
    EmuResult *result = emu_launch(module, &launch);
    double seconds = now() - start;
    if (seconds < best) best = seconds;
    lanes = result->lane_instructions;
    if (result->error[0] || result->findings) printf("%s: %s\n", name, result->error);
    emu_result_free(result);
  }
  printf("%-12s %s  %s  %7.1f million lane-instructions/s and core\n", name,
         threads == 1 ? "one thread " : "all threads", races ? "races" : "-    ",
         1e-6 * (double)lanes / best);
  emu_unload(module);
  emu_memory_free(memory);
}

int main(void) {
  for (int threads = 1; threads >= 0; threads--) {
    measure("arithmetic", arithmetic, threads, true);
    measure("shared", shared, threads, true);
    for (int races = 0; races < 2; races++) measure("transpose", transpose, threads, races);
    measure("mma", mma, threads, true);
  }
  return 0;
}
