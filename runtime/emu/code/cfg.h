/* SPDX-License-Identifier: MIT */
/* cfg.h: the control-flow graph of a function. */
#ifndef KGEN_EMU_CODE_CFG_H
#define KGEN_EMU_CODE_CFG_H

#include "emu/code/code.h"

/* Finds the reconvergence point of every divergent branch of a function. */
void cfg_find_joins(Arena *arena, Program *program, const FunctionCode *code);

#endif
