/* loads.h: what loads are for, where that decides whether they race. */
#ifndef KGEN_EMU_LOADS_H
#define KGEN_EMU_LOADS_H

#include "emu/code/code.h"

/* Marks first guesses of compare-and-swaps, and looks at flags in loops that wait. */
void loads_classify(Arena *arena, Program *program, const FunctionCode *code);

#endif
