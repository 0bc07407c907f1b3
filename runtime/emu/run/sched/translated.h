/* SPDX-License-Identifier: MIT */
/* translated.h: runs the parts of a kernel that the host compiler has compiled:
 * translate/translate.h. */
#ifndef KGEN_EMU_RUN_SCHED_TRANSLATED_H
#define KGEN_EMU_RUN_SCHED_TRANSLATED_H

#include "emu/run/state/block.h"

/* Fills in the warp's pointers that stay fixed during a launch, for the compiled code. */
void translated_open(Warp *w);
/* Runs compiled code for the current split: straight-line instructions and branches that all its
 * lanes take the same way. Stops where no compiled function starts, or at a branch once the time
 * slice is used up. Returns the number of instructions executed and leaves the split's pc after
 * them. */
int translated_run(Warp *w, const NativeRun *runs, int slice, bool *ended);

#endif
