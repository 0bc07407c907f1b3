/* shuffle.h: whose value each lane gets in shfl. */
#ifndef KGEN_EMU_SHUFFLE_H
#define KGEN_EMU_SHUFFLE_H

#include "emu/code/code.h"

typedef enum { SHFL_UP, SHFL_DOWN, SHFL_BFLY, SHFL_IDX } ShflMode;

/* By operands b and c of the instruction [PTX ISA, shfl.sync]: the lane that it asks, and whether
 * that is within its segment; else it asks itself. */
bool shuffle_source(ShflMode mode, uint32_t lane, uint32_t b, uint32_t c, uint32_t *from);
/* The same of all lanes. */
const ShflMap *shuffle_map(Arena *a, ShflMode mode, uint32_t b, uint32_t c);

#endif
