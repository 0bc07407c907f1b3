/* SPDX-License-Identifier: MIT */
/* constants.h: replaces registers that are constant where warp-wide instructions read them. */
#ifndef KGEN_EMU_CODE_CONSTANTS_H
#define KGEN_EMU_CODE_CONSTANTS_H

#include "emu/code/code.h"

/* nvcc moves member masks and lane numbers into registers first. If a register is written once, by
 * such a move, which is on every path to a warp-wide instruction, that instruction reads the
 * constant instead. A shuffle with constant operands also gets its map. */
void constants_find(Arena *a, Program *p, const FunctionCode *f);

#endif
