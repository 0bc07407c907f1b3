/* SPDX-License-Identifier: MIT */
/* bases.h: groups the loads and stores of a straight-line run whose addresses are one register plus
 * a constant. The first, the leader, resolves the lane addresses; the others reuse them. */
#ifndef KGEN_EMU_CODE_BASES_H
#define KGEN_EMU_CODE_BASES_H

#include "emu/code/code.h"

enum { PLACES = 4 }; /* number of leaders remembered at a time */

/* Sets MemoryOp.follows, leads and place; requires Insn.plain. */
void bases_find(Program *program);

#endif
