/* constants.h: registers that are constants where warp-wide instructions read them. */
#ifndef KGEN_EMU_CODE_CONSTANTS_H
#define KGEN_EMU_CODE_CONSTANTS_H

#include "emu/code/code.h"

/* nvcc moves member masks and the numbers of lanes into registers first. Where one is written once,
 * by such a move, on every way to a warp-wide instruction, that gets the constant in its place, and
 * a shuffle by constants its map. */
void constants_find(Arena *a, Program *p, const FunctionCode *f);

#endif
