/* SPDX-License-Identifier: MIT */
/* loads.h: classifies loads whose purpose decides whether they race. */
#ifndef KGEN_EMU_CODE_LOADS_H
#define KGEN_EMU_CODE_LOADS_H

#include "emu/code/code.h"

/* Marks the loads of a function that are first guesses of compare-and-swaps, poll flags in loops,
 * test whether to store, or copy structures. */
void loads_classify(Arena *arena, Program *program, const FunctionCode *code);

#endif
