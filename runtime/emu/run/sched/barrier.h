/* barrier.h: barriers of a block: arriving, completing, and the ways of never completing. */
#ifndef KGEN_EMU_RUN_SCHED_BARRIER_H
#define KGEN_EMU_RUN_SCHED_BARRIER_H

#include "emu/run/state/block.h"

/* BarrierOp.mode; modes from POPC on have a result. */
typedef enum { BARRIER_SYNC, BARRIER_ARRIVE, BARRIER_POPC, BARRIER_AND, BARRIER_OR } BarrierMode;

/* Lanes of a warp exit: barriers may complete by that. */
void barrier_lanes_exit(Warp *w, const Insn *insn, uint32_t active);
/* Releases the splits that wait at the barrier, if it is complete. */
void barrier_update(Block *block, int number);
/* Reports threads that exited after a barrier of the whole block that they never reached. */
void barrier_check_skipped(Block *block);

#endif
