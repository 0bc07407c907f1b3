/* ahead.h: the kernels of a batch compiled into the cache by other processes, in the order in which
 * they are run, while those before them run. */
#ifndef KGEN_JUDGE_AHEAD_H
#define KGEN_JUDGE_AHEAD_H

#include "judge/run.h"
#include "judge/workers.h"

typedef struct {
  const Runner *runner;
  const Batch *batch;
  Workers workers;
  int jobs, given, *job; /* in order; a job's number is PARTS * item + part */
  bool *left;            /* [job's number]: it is not done yet */
  Compiled *compiled;    /* [job's number]: its outcome */
} Ahead;

/* No process is started where everything is in the cache, or where there is none to write to. */
void ahead_start(const Runner *r, const Batch *batch, Ahead *out);
/* Waits until what item `i` needs is in the cache, or will not be: it is then compiled, and
 * refused, as without this. */
void ahead_wait(Ahead *h, int i);
/* Where item `i` was compiled here, says of its machine code that it was not in the cache before,
 * and how long compiling took. */
void ahead_tell(const Ahead *h, int i, Jit *machine);
void ahead_stop(Ahead *h);

#endif
