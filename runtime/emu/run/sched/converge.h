/* converge.h: lanes of a warp that wait for each other at a warp-wide instruction. */
#ifndef KGEN_EMU_RUN_SCHED_CONVERGE_H
#define KGEN_EMU_RUN_SCHED_CONVERGE_H

#include "emu/run/state/block.h"

/* Returns true, and all lanes of `member` that have not exited in *active, if all of them execute
 * this instruction. Otherwise the split waits: the caller returns FLOW_WAIT. */
bool warp_converge(Warp *w, const Insn *insn, uint32_t member, uint32_t *active);
/* Merges two splits that are at the same place and do not differ otherwise. */
void warp_join(const Warp *w, Split *into, Split *split);
/* Lanes exit: a finding if others wait for one that went on without them. */
void warp_check_missed(Warp *w, uint32_t ended);

#endif
