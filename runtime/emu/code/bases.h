/*
 * bases.h: loads and stores in a run of plain instructions whose addresses are at constant
 * distances from one register. The first of them, the leader, places its lanes; the others reuse
 * that.
 */
#ifndef KGEN_EMU_CODE_BASES_H
#define KGEN_EMU_CODE_BASES_H

#include "emu/code/code.h"

enum { PLACES = 4 }; /* leaders that are remembered at a time */

/* Sets MemoryOp.follows, leads and place; Insn.plain is known. */
void bases_find(Program *program);

#endif
