/*
 * register_pool.h: the block's pool of registers. setmaxnreg.dec gives to it, setmaxnreg.inc takes
 * from it and waits until there are enough; at first it is empty.
 */
#ifndef KGEN_EMU_RUN_SCHED_REGISTER_POOL_H
#define KGEN_EMU_RUN_SCHED_REGISTER_POOL_H

#include "emu/run/state/block.h"

/* A block begins: each thread has what its launch bounds leave it. */
void register_pool_start(Block *block);
/* Changes the registers of the warp's threads to `count`. False if the warp waits for them. */
bool register_pool_raise(Warp *w, const Insn *insn, uint32_t count);
void register_pool_lower(Warp *w, const Insn *insn, uint32_t count);
/* Reports what a warp that cannot continue waits for. */
void register_pool_report_wait(Warp *w, const Split *split);

#endif
