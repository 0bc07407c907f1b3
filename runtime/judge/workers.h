/* SPDX-License-Identifier: MIT */
/* workers.h: processes that compile into the cache while others are measured. They are processes
 * because compilers in several threads may block each other. */
#ifndef KGEN_JUDGE_WORKERS_H
#define KGEN_JUDGE_WORKERS_H

#include <sys/types.h>

#include "base/signals.h"
#include "judge/run.h"

typedef struct {
  int job;
  int worker; /* the worker that did it */
  JitStatus status;
  int registers, blocks; /* blocks per SM; 0 if unknown */
  double ms;             /* milliseconds that compiling took */
  char why[160];         /* the reason of a failure */
} Compiled;

/* Compiles one kernel into the cache. */
typedef Compiled CompileJob(const void *context, int job);

/* The function that workers run, their number, and the maximum number of jobs for each. */
typedef struct {
  CompileJob *compile;
  const void *context;
  int count, queue;
  const sigset_t *held; /* the signal mask from before signals were deferred; NULL: they are not */
} WorkersOrder;

typedef struct {
  WorkersOrder order;
  int count, busy; /* number of processes; number of jobs in progress */
  int *jobs;       /* [worker]: the socket to it */
  int *given;      /* indexed by worker: number of its jobs */
  pid_t *process;  /* [worker] */
  int results;     /* the pipe from all workers */
} Workers;

/* False, with *why, if no worker could be started. */
bool workers_start(Arena *a, const WorkersOrder *order, Workers *out, Text *why);
/* True if some worker has fewer jobs than its maximum. */
bool workers_have_room(const Workers *w);
void workers_give(Workers *w, int job);
/* Waits up to `ms` milliseconds for a job to be done. Jobs of a worker that died are no longer in
 * progress. */
bool workers_take(Workers *w, int ms, Compiled *out);
void workers_stop(Workers *w);

/* Compiles an item's kernel into the runner's cache, as a worker's job. */
Compiled workers_compile(Arena *a, const Runner *r, const BatchItem *item, JitForm form, int job);

#endif
