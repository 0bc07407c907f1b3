/* SPDX-License-Identifier: MIT */
/* register_pool.h: the block's register pool, empty at first. setmaxnreg.dec returns registers to
 * it. setmaxnreg.inc takes registers from it, and waits until there are enough. */
#ifndef KGEN_EMU_RUN_SCHED_REGISTER_POOL_H
#define KGEN_EMU_RUN_SCHED_REGISTER_POOL_H

#include "emu/run/state/block.h"

/* Starts a block: each thread has the number of registers that its launch bounds allow. */
void register_pool_start(Block *block);
/* Raises the registers of the warp's threads to `count`. Returns false if the warp must wait for
 * them. */
bool register_pool_raise(Warp *w, const Insn *insn, uint32_t count);
void register_pool_lower(Warp *w, const Insn *insn, uint32_t count);
/* Reports the registers that a warp waits for when it can never continue. */
void register_pool_report_wait(Warp *w, const Split *split);

#endif
