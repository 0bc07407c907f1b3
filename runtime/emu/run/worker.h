/* worker.h: a host thread that executes blocks, and collects their counters and findings. */
#ifndef KGEN_EMU_WORKER_H
#define KGEN_EMU_WORKER_H

#include "emu/run/block.h"

struct Worker {
  Launch *launch;
  Block block;
  _Atomic uint64_t current; /* block; NO_BLOCK when done */
  EmuAccess *access;        /* two per site: global, shared */
  Findings findings;
  uint64_t lane_instructions, warp_instructions;
};

/* Takes blocks until none is left; counters and findings stay in the worker. */
void worker_run(Worker *worker);
/* Allocates what the launch needs; false when out of memory. */
bool worker_open(Worker *worker, Launch *launch);
void worker_close(Worker *worker);

#endif
