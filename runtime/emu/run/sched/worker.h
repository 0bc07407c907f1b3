/* worker.h: a host thread that executes blocks, and collects their counters and findings. */
#ifndef KGEN_EMU_RUN_SCHED_WORKER_H
#define KGEN_EMU_RUN_SCHED_WORKER_H

#include "emu/run/state/block.h"

struct Worker {
  Launch *launch;
  Block **resident; /* blocks that have begun and not ended, in order */
  int residents, capacity, limit;
  int at;                      /* whose turn it is */
  Cluster *spare;              /* storage for the next ones, or NULL */
  _Atomic uint64_t current;    /* the first of its blocks; NO_BLOCK: none */
  _Atomic uint64_t stalled_at; /* Launch.progress when all of them polled */
  int waiting;                 /* turns in a row that ended in polling */
  uint64_t waits_since;        /* Launch.progress before them */
  uint64_t waited_steps;       /* warp instructions in them */
  bool prefers_new;            /* after a turn of an old block */
  EmuAccess *access;           /* two per site: global, shared */
  AccessMemo *memo;            /* COUNTER_WAYS for each of them */
  Findings findings;
  uint64_t lane_instructions, warp_instructions, translated[2];
};

/* Executes blocks until none is left, or the launch is parked; counters and findings stay in the
 * worker. */
void worker_run(Worker *worker);
/* Before it goes on with a launch that was parked: memory may have been allocated and freed. */
void worker_wake(Worker *worker);
/* Allocates the worker's storage for the launch; false when out of memory. */
bool worker_open(Worker *worker, Launch *launch);
/* Counts what blocks have executed that have not ended, and do not go on. */
void worker_stop(Worker *worker);
void worker_close(Worker *worker);

#endif
