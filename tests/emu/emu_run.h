/* SPDX-License-Identifier: MIT */
/* emu_run.h: running a kernel of a PTX text on int or float buffers, for the emulator's tests. */
#ifndef KGEN_TESTS_EMU_EMU_RUN_H
#define KGEN_TESTS_EMU_EMU_RUN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "check.h"
#include "emu/emu.h"

typedef struct {
  Arena *arena;
  EmuMemory *memory;
  EmuModule *module;
  const char *source; /* the CUDA text, if there is one */
} Machine;

static inline void machine_close(Machine *m) {
  emu_unload(m->module);
  emu_memory_free(m->memory);
  arena_free(m->arena);
}

/* Loads PTX; its errors are printed and counted as failures. */
static inline Machine machine_open(const char *ptx, size_t length) {
  Machine m = {.arena = arena_new(), .memory = emu_memory_new()};
  m.module = emu_load(m.memory, ptx, length);
  int errors;
  const EmuError *error = emu_errors(m.module, &errors);
  for (int i = 0; i < errors; i++) {
    CHECK(false, "PTX line %d: %s", error[i].ptx_line, error[i].message);
  }
  return m;
}

typedef struct {
  const char *kernel;
  uint32_t grid, block;
  const void *in;
  size_t in_bytes;
  void *out;
  size_t out_bytes;
  int n; /* the third argument, if the kernel has one */
  uint64_t max_steps;
  int threads;
  uint64_t race_bytes;
} Run;

/* An unchecked launch on the `bytes` bytes at `at` must leave `want`, the result of the checked
 * one, unless that had a fault. */
static inline void check_unjudged(Machine *m, EmuLaunch launch, const EmuResult *judged,
                                  uint64_t at, const void *want, size_t bytes) {
  if (judged->error[0] || judged->findings) return;
  unsigned char *got = malloc(bytes);
  launch.unchecked = true;
  EmuResult *r = emu_launch(m->module, &launch);
  emu_copy_out(m->memory, got, at, bytes);
  CHECK(!r->error[0] && !r->findings && !r->accesses && !r->load.ideal, "%s: unjudged: %s %s",
        launch.kernel, r->error, r->findings ? r->finding[0].message : "");
  CHECK(memcmp(got, want, bytes) == 0, "%s: unjudged: the output differs", launch.kernel);
  CHECK(r->blocks == judged->blocks && r->printed_bytes == judged->printed_bytes,
        "%s: unjudged: %llu blocks, %zu bytes printed", launch.kernel,
        (unsigned long long)r->blocks, r->printed_bytes);
  emu_result_free(r);
  free(got);
}

/* Launches kernel(in, out, n), or kernel(out) if it takes one argument. The caller frees the
 * result. */
static inline EmuResult *machine_launch(Machine *m, const Run *run, bool unchecked) {
  const EmuKernel *kernel = emu_kernel(m->module, run->kernel);
  if (!kernel) die("no kernel %s", run->kernel);
  uint64_t in = emu_alloc(m->memory, run->in_bytes ? run->in_bytes : 4, "in");
  uint64_t out = emu_alloc(m->memory, run->out_bytes, "out");
  emu_copy_in(m->memory, in, run->in, run->in_bytes);
  emu_copy_in(m->memory, out, run->out, run->out_bytes);
  const void *both[] = {&in, &out, &run->n}, *single[] = {&out};
  EmuLaunch launch = {.kernel = run->kernel,
                      .grid = {run->grid, 1, 1},
                      .block = {run->block, 1, 1},
                      .args = kernel->params == 1 ? single : both,
                      .threads = run->threads,
                      .max_steps = run->max_steps,
                      .race_bytes = run->race_bytes,
                      .unchecked = unchecked};
  EmuResult *result = emu_launch(m->module, &launch);
  unsigned char *before = malloc(run->out_bytes);
  memcpy(before, run->out, run->out_bytes);
  emu_copy_out(m->memory, run->out, out, run->out_bytes);
  emu_copy_in(m->memory, in, run->in, run->in_bytes);
  emu_copy_in(m->memory, out, before, run->out_bytes);
  if (!unchecked) check_unjudged(m, launch, result, out, run->out, run->out_bytes);
  free(before);
  emu_free(m->memory, in);
  emu_free(m->memory, out);
  return result;
}

static inline EmuResult *machine_run(Machine *m, const Run *run) {
  return machine_launch(m, run, false);
}

/* The line of the comment `FAULT kernel` in a CUDA text. */
static inline int fault_line(const char *source, const char *kernel) {
  char mark[64];
  snprintf(mark, sizeof mark, "FAULT %s\n", kernel);
  const char *at = strstr(source, mark);
  if (!at) die("no mark for %s", kernel);
  int line = 1;
  for (const char *c = source; c < at; c++) line += *c == '\n';
  return line;
}

/* Checks that there is no finding; each is printed as a failure. */
static inline void check_clean(const EmuResult *result, const char *what) {
  CHECK(!result->error[0], "%s: %s", what, result->error);
  CHECK(result->findings == 0, "%s: %d findings", what, result->findings);
  for (int i = 0; i < result->findings; i++) {
    const EmuFinding *f = &result->finding[i];
    fprintf(stderr, "  %s: %s:%d thread %u block %u: %s\n", what, emu_finding_kind_name[f->kind],
            f->line, f->thread[0], f->block[0], f->message);
  }
}

#endif
