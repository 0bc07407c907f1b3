/*
 * bases.h: loads and stores of a run of plain instructions whose addresses lie at constant
 * distances from one register. Where the first of them, the leader, found its lanes, the others
 * need not look again.
 */
#ifndef KGEN_EMU_BASES_H
#define KGEN_EMU_BASES_H

#include "emu/code/code.h"

enum { PLACES = 4 }; /* leaders that are remembered at a time */

/* Sets MemoryOp.follows, leads and place; Insn.plain is known. */
void bases_find(Program *program);

#endif
