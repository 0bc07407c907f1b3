/* cfg.h: the flow graph of a function. */
#ifndef KGEN_EMU_CFG_H
#define KGEN_EMU_CFG_H

#include "emu/code/code.h"

/* Finds where the lanes of every divergent branch of a function meet again. */
void cfg_find_joins(Arena *arena, Program *program, const FunctionCode *code);

#endif
