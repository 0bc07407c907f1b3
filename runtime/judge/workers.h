/* workers.h: processes that compile into the cache while others are measured. Processes, since
 * compilers in several threads may block each other. */
#ifndef KGEN_JUDGE_WORKERS_H
#define KGEN_JUDGE_WORKERS_H

#include <sys/types.h>

#include "base/signals.h"
#include "judge/run.h"

typedef struct {
  int job;
  int worker; /* that did it */
  JitStatus status;
  int registers, blocks; /* blocks: that an SM holds; 0 where it is not known */
  double ms;             /* that compiling took */
  char why[160];         /* of what failed */
} Compiled;

/* Compiles one kernel into the cache. */
typedef Compiled CompileJob(const void *context, int job);

/* What workers do, how many there are, and how many jobs each has at most. */
typedef struct {
  CompileJob *compile;
  const void *context;
  int count, queue;
  const sigset_t *held; /* the signals as they were before; NULL: none are held back */
} WorkersOrder;

typedef struct {
  WorkersOrder order;
  int count, busy; /* processes; jobs under way */
  int *jobs;       /* [worker]: the socket to it */
  int *given;      /* [worker]: the jobs that it has */
  pid_t *process;  /* [worker] */
  int results;     /* the pipe from all */
} Workers;

/* False, with *why, if not one could be started. */
bool workers_start(Arena *a, const WorkersOrder *order, Workers *out, Text *why);
/* Whether some worker has fewer jobs than the order allows it. */
bool workers_have_room(const Workers *w);
void workers_give(Workers *w, int job);
/* One that is done, within `ms` milliseconds. Jobs of a worker that died are under way no more. */
bool workers_take(Workers *w, int ms, Compiled *out);
void workers_stop(Workers *w);

/* Compiles an item's kernel into the runner's cache, as a worker's job. */
Compiled workers_compile(Arena *a, const Runner *r, const BatchItem *item, JitForm form, int job);

#endif
