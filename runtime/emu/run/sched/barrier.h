/* SPDX-License-Identifier: MIT */
/* barrier.h: barriers of a block: completion, and reports of barriers that never complete. */
#ifndef KGEN_EMU_RUN_SCHED_BARRIER_H
#define KGEN_EMU_RUN_SCHED_BARRIER_H

#include "emu/run/state/block.h"

/* Values of BarrierOp.mode. Modes from BARRIER_POPC on have a result. */
typedef enum { BARRIER_SYNC, BARRIER_ARRIVE, BARRIER_POPC, BARRIER_AND, BARRIER_OR } BarrierMode;

/* `active` lanes exit. This may complete barriers. */
void barrier_lanes_exit(Warp *w, const Insn *insn, uint32_t active);
/* Returns the lanes of the warp that wait at the barrier of its block. */
uint32_t barrier_waiting(const Warp *w, int number);
/* Releases the splits that wait at the barrier if it is complete. */
void barrier_update(Block *block, int number);
/* Reports threads that exited after a barrier of the whole block that they never reached. */
void barrier_check_skipped(Block *block);

#endif
