/* SPDX-License-Identifier: MIT */
/* shuffle.h: the source lanes of shfl. */
#ifndef KGEN_EMU_CODE_SHUFFLE_H
#define KGEN_EMU_CODE_SHUFFLE_H

#include "emu/code/code.h"

typedef enum { SHFL_UP, SHFL_DOWN, SHFL_BFLY, SHFL_IDX } ShflMode;

/* Computes the lane whose value a lane reads, from operands b and c [PTX ISA, shfl.sync]. Returns
 * false if that lane is outside its segment; *from is then the lane itself. */
bool shuffle_source(ShflMode mode, uint32_t lane, uint32_t b, uint32_t c, uint32_t *from);
/* The source lanes of all lanes. */
const ShflMap *shuffle_map(Arena *a, ShflMode mode, uint32_t b, uint32_t c);

#endif
