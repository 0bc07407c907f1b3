/* SPDX-License-Identifier: MIT */
/* Measures how many lane-instructions the emulator executes per second of CPU time, for the
 * kernels of bench/emu_kernels.cu, compiled by NVRTC. Variants: checked, as by --lint and
 * --exec; unchecked; and translated to C, for AVX2 and AVX-512; each on one host thread and on
 * all. Arguments select less: the number of runs, a kernel, "checked", "unchecked", "avx2" or
 * "avx512". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../tests/device/native_compiler.h"
#include "base/file.h"
#include "device/nvrtc.h"
#include "emu/emu.h"

enum { MOST_RUNS = 101, BUFFER = 16 << 20 };

/* A launch of about 10^7 to 10^8 lane-instructions. */
typedef struct {
  const char *kernel;
  uint32_t grid[3];
  int n;
} Work;

static const Work works[] = {{"product", {16, 16, 1}, 256},
                             {"reduction", {64, 1, 1}, 1 << 20},
                             {"histogram", {64, 1, 1}, 1 << 18},
                             {"stencil", {64, 64, 1}, 1024}};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The millions of lane-instructions per second of one launch. */
static double speed(EmuModule *module, const EmuLaunch *launch) {
  const double start = now();
  EmuResult *result = emu_launch(module, launch);
  const double seconds = now() - start;
  if (result->error[0] || result->findings) printf("%s: %s\n", launch->kernel, result->error);
  const double lanes = (double)result->lane_instructions;
  emu_result_free(result);
  return 1e-6 * lanes / seconds;
}

/* How a launch is executed; vectors: translated to C for them. */
typedef struct {
  const char *name;
  bool unchecked;
  unsigned vectors;
} How;

static const How hows[] = {
    {"checked", false, 0}, {"unchecked", true, 0}, {"avx2", true, 1}, {"avx512", true, 2}};

static void measure(EmuModule *module, const Work *work, const void *const *args, int runs,
                    int threads, const How *how, const EmuTranslator *translator) {
  double rate[MOST_RUNS];
  EmuLaunch launch = {.kernel = work->kernel,
                      .grid = {work->grid[0], work->grid[1], work->grid[2]},
                      .block = {256, 1, 1},
                      .args = args,
                      .threads = threads,
                      .unchecked = how->unchecked,
                      .translator = translator};
  for (int i = 0; i < runs; i++) rate[i] = speed(module, &launch);
  qsort(rate, (size_t)runs, sizeof *rate, by_value);
  printf("%-10s %-10s %-11s %6.0f [%.0f %.0f] best %.0f\n", work->kernel, how->name,
         threads == 1 ? "one thread" : "all threads", rate[runs / 2], rate[runs / 4],
         rate[runs * 3 / 4], rate[runs - 1]);
}

static const char *compile(Arena *a) {
  const char *path = "bench/emu_kernels.cu", *options[] = {"-arch=compute_90", "-lineinfo"};
  size_t length;
  const char *text = file_read(a, path, 1 << 20, &length);
  if (!text) die("run it in the repository's root: cannot read %s", path);
  NvrtcSource source = {.name = path, .text = text, .option = options, .options = 2, .ptx = true};
  NvrtcResult ptx = {0};
  Text why = text_new(a);
  if (!nvrtc_compile(a, &source, &ptx, &why)) die("no NVRTC");
  if (!ptx.accepted) die("%s", ptx.log);
  return ptx.image;
}

/* A module of its own for each way: a translation stays with it. */
static void measure_way(EmuMemory *memory, const char *ptx, const Work *work,
                        const void *const *args, int runs, const How *how) {
  Compiler c = {0};
  EmuTranslator translator = {0};
  if (how->vectors && !compiler_open(&c, how->vectors)) return;
  if (how->vectors) translator = compiler_translator(&c);
  EmuModule *module = emu_load(memory, ptx, strlen(ptx));
  for (int threads = 1; threads >= 0; threads--)
    measure(module, work, args, runs, threads, how, how->vectors ? &translator : NULL);
  emu_unload(module);
  if (how->vectors) compiler_close(&c);
}

static bool wants(int argc, char **argv, const char *how) {
  return argc <= 3 || strcmp(argv[3], how) == 0;
}

int main(int argc, char **argv) {
  const int given = argc > 1 ? atoi(argv[1]) : 9, runs = given < MOST_RUNS ? given : MOST_RUNS;
  Arena *a = arena_new();
  EmuMemory *memory = emu_memory_new();
  const char *ptx = compile(a);
  uint64_t in = emu_alloc(memory, BUFFER, "in"), out = emu_alloc(memory, BUFFER, "out");
  uint32_t *random = calloc(1, BUFFER), state = 1;
  for (size_t i = 0; i < BUFFER / sizeof *random; i++) { /* floats of 0.5 to 1 */
    state = state * 1664525u + 1013904223u;
    random[i] = 0x3f000000u | state >> 9;
  }
  emu_copy_in(memory, in, random, BUFFER);
  printf("million lane-instructions a second of CPU time and core: median [quartiles]\n");
  for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
    if (argc > 2 && strcmp(argv[2], works[i].kernel) != 0) continue;
    const void *args[] = {&in, &out, &works[i].n};
    for (size_t k = 0; k < sizeof hows / sizeof *hows; k++)
      if (wants(argc, argv, hows[k].name))
        measure_way(memory, ptx, &works[i], args, runs, &hows[k]);
  }
  free(random);
  emu_memory_free(memory);
  arena_free(a);
  return 0;
}
