/* SPDX-License-Identifier: MIT */
/* worker.h: a host thread that executes blocks and collects their counters and findings. */
#ifndef KGEN_EMU_RUN_SCHED_WORKER_H
#define KGEN_EMU_RUN_SCHED_WORKER_H

#include "emu/run/state/block.h"

struct Worker {
  Launch *launch;
  Block **resident; /* blocks that have started and not ended, in that order */
  int residents, capacity, limit;
  int at;                      /* index of the block that runs next */
  Cluster *spare;              /* storage for the next cluster, or NULL */
  _Atomic uint64_t current;    /* number of its first block, or NO_BLOCK */
  _Atomic uint64_t stalled_at; /* value of Launch.progress at which all its blocks only polled */
  int waiting;                 /* number of consecutive time slices that ended by polling */
  uint64_t waits_since;        /* value of Launch.progress before the first of them */
  uint64_t waited_steps;       /* warp instructions executed in them */
  bool prefers_new;            /* the next block to run is a new one, not one that waited */
  EmuAccess *access;           /* two per site: global memory, then shared memory */
  AccessMemo *memo;            /* COUNTER_WAYS per counter */
  PendingEvents *pending;      /* NULL: the launch has no observer */
  Findings findings;
  uint64_t lane_instructions, warp_instructions, translated[2];
};

/* Executes blocks until none is left or the launch is parked. Counters and findings stay in the
 * worker. */
void worker_run(Worker *worker);
/* Takes the number of a cluster that has not begun, and now never does; NO_BLOCK: none is left. */
uint64_t worker_cancel(Launch *launch);
/* Call before a parked launch continues: memory may have been allocated and freed. */
void worker_wake(Worker *worker);
/* Allocates the worker's storage for the launch; false when out of memory. */
bool worker_open(Worker *worker, Launch *launch);
/* Adds the instruction counts of blocks that have not ended and will not continue. */
void worker_stop(Worker *worker);
void worker_close(Worker *worker);

#endif
