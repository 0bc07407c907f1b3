/* SPDX-License-Identifier: MIT */
/* ahead.h: compiles the kernels of a batch into the cache by other processes, in the order in which
 * they are run, while earlier ones run. */
#ifndef KGEN_JUDGE_AHEAD_H
#define KGEN_JUDGE_AHEAD_H

#include "judge/run.h"
#include "judge/workers.h"

typedef struct {
  const Runner *runner;
  const Batch *batch;
  Workers workers;
  int jobs, given, *job; /* in order; the number of a job is PARTS * item + part */
  bool *left;            /* indexed by job number: not done yet */
  Compiled *compiled;    /* indexed by job number: its outcome */
} Ahead;

/* Starts no process if everything is in the cache, or if there is no cache to write to. */
void ahead_start(const Runner *r, const Batch *batch, Ahead *out);
/* Waits until everything that item `i` needs is in the cache, or never will be; the caller then
 * compiles it, and reports errors, as usual. */
void ahead_wait(Ahead *h, int i);
/* If item `i` was compiled here: records that its machine code was not in the cache before, and how
 * long compiling took. */
void ahead_record_outcome(const Ahead *h, int i, Jit *machine);
void ahead_stop(Ahead *h);

#endif
