/* loads.h: the purpose of loads, where it decides whether they race. */
#ifndef KGEN_EMU_LOADS_H
#define KGEN_EMU_LOADS_H

#include "emu/code/code.h"

/* Marks first guesses of compare-and-swaps, loads of flags in waiting loops, tests, and copies of
 * structures. */
void loads_classify(Arena *arena, Program *program, const FunctionCode *code);

#endif
