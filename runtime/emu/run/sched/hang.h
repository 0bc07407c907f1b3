/* SPDX-License-Identifier: MIT */
/* hang.h: explains a launch that cannot continue: for every barrier and mbarrier that warps are
 * blocked on, how far it is, which threads have arrived, which are missing and where those are. */
#ifndef KGEN_EMU_RUN_SCHED_HANG_H
#define KGEN_EMU_RUN_SCHED_HANG_H

#include "emu/run/state/block.h"

/* Reports everything that threads of the block are blocked on. No thread of its cluster can make
 * progress. */
void hang_report(Block *block);
/* Adds to the finding described last where the block's threads other than the warp's are. */
void hang_add_others(const Warp *w);

#endif
