/* ahead.h: the kernels of a batch compiled into the cache by other processes, in the order in which
 * they are run, while those before them run. */
#ifndef KGEN_AHEAD_H
#define KGEN_AHEAD_H

#include "judge/run.h"
#include "judge/workers.h"

typedef struct {
  const Runner *runner;
  const Batch *batch;
  Workers workers;
  int jobs, given, *job; /* in order: PARTS * item + part */
  bool *left;            /* by such a number: it is to come yet */
  Compiled *compiled;    /* likewise: what came */
} Ahead;

/* No process is started where everything is in the cache, or where there is none to write to. */
void ahead_start(const Runner *r, const Batch *batch, Ahead *out);
/* Waits until what item `i` needs is in the cache, or will not be: it is then compiled, and
 * refused, as without this. */
void ahead_wait(Ahead *h, int i);
/* It was not found in the cache, if it was compiled here, and took its time. */
void ahead_tell(const Ahead *h, int i, Jit *machine);
void ahead_stop(Ahead *h);

#endif
