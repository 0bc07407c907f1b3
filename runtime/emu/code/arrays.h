/* SPDX-License-Identifier: MIT */
/* arrays.h: finds the shared or local array that an instruction's address points into. */
#ifndef KGEN_EMU_CODE_ARRAYS_H
#define KGEN_EMU_CODE_ARRAYS_H

#include "emu/code/code.h"

/* Sets the static shared or local array of every access in a function whose address is, by all its
 * assignments, that array's address plus values derived from no array. */
void arrays_find(Arena *arena, Program *program, const FunctionCode *code);

#endif
