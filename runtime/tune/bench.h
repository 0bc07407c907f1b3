/* SPDX-License-Identifier: MIT */
/* bench.h: checks and measures points on a device. A Bench owns the buffers, from the first
 * bench_prepare() to bench_close(); an Entry owns its arena and its module, from bench_load(),
 * whatever that returns, to bench_unload(). */
#ifndef KGEN_TUNE_BENCH_H
#define KGEN_TUNE_BENCH_H

#include "judge/binding.h"
#include "judge/run.h"
#include "tune/space.h"

/* A device with the buffers of the timed problem, which all points share: filling them takes longer
 * than a kernel. */
typedef struct {
  Runner *runner;
  const Space *space;
  Arena *arena;
  const Problem *problem; /* owner of the buffers; NULL: none yet */
  int copies;
  Bound *bound;
} Bench;

Bench bench_open(Arena *a, Runner *r, const Space *s);
void bench_close(Bench *b);

/* A loaded point. */
typedef struct {
  Arena *arena;
  const Point *point;
  Run run;
  Problem problem;
  int copies, runs; /* launches per sample */
  Bound *bound;
  Launch *list;
} Entry;

typedef enum { FAULT_NONE, FAULT_COMPILE, FAULT_RUNTIME, FAULT_CORRECTNESS, FAULT_TIMEOUT } Fault;
extern const char *const fault_name[];

/* Compiles (usually from the cache), loads and, if `check`, compares the results at every size with
 * the reference. bench_reason() explains a fault. */
Fault bench_load(Bench *b, const Point *p, bool check, Entry *out);
void bench_unload(Bench *b, Entry *e);

/* Counts on the emulator: wavefronts and sectors per unit of work. */
Fault bench_count(Bench *b, Entry *e, double *out);
/* Prepares an entry for samples; a sample is the milliseconds of one launch. */
Fault bench_prepare(Bench *b, Entry *e);
Fault bench_sample(Bench *b, Entry *e, double *ms);

/* The reason of a fault: takes the runner's messages. */
const char *bench_reason(Arena *a, const Bench *b);

/* Process and address of the first buffer, which may affect a time in addition to the kernel. */
const char *bench_placement(Arena *a, const Bench *b);

#endif
