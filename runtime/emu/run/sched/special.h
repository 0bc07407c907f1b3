/* SPDX-License-Identifier: MIT */
/* special.h: special registers such as %tid, with 32 lanes each. */
#ifndef KGEN_EMU_RUN_SCHED_SPECIAL_H
#define KGEN_EMU_RUN_SCHED_SPECIAL_H

#include "emu/run/state/block.h"

/* Sets the special registers of a warp, and of a block, that do not change from block to block. */
void special_set_warp(Warp *w);
void special_set_fixed(Block *block);
/* Sets the special registers that depend on the block's position in the grid. */
void special_set_block(Block *block);

#endif
