/* SPDX-License-Identifier: MIT */
/* converge.h: lanes of a warp that wait for each other at a warp-wide instruction. */
#ifndef KGEN_EMU_RUN_SCHED_CONVERGE_H
#define KGEN_EMU_RUN_SCHED_CONVERGE_H

#include "emu/run/state/block.h"

/* If all lanes of `member` that have not exited have reached this instruction, returns true and
 * those lanes in *active. Otherwise the split waits: the caller must return FLOW_WAIT. */
bool warp_converge(Warp *w, const Insn *insn, uint32_t member, uint32_t *active);
/* Merges two splits that have the same pc, record and caller. */
void warp_join(const Warp *w, Split *into, Split *split);
/* Lanes `ended` exit: reports a lane that skipped an instruction at which others wait for it. */
void warp_check_missed(Warp *w, uint32_t ended);

#endif
