/* barrier.h: barriers of a block: arriving, completing, and the ways of never completing. */
#ifndef KGEN_EMU_BARRIER_H
#define KGEN_EMU_BARRIER_H

#include "emu/run/block.h"

/* BarrierOp.mode; from POPC on it has a result. */
typedef enum { BARRIER_SYNC, BARRIER_ARRIVE, BARRIER_POPC, BARRIER_AND, BARRIER_OR } BarrierMode;

/* A warp's lanes end: barriers may now be complete. */
void barrier_lanes_exit(Warp *w, const Insn *insn, uint32_t active);
/* Lets go those that wait at barriers which are complete now. */
void barrier_update(Block *block);
/* No warp can run: reports which threads are missing where, and stops the launch. */
void barrier_deadlock(Block *block);
/* Reports threads that ended behind a barrier of the whole block that they never reached. */
void barrier_check_skipped(Block *block);

#endif
