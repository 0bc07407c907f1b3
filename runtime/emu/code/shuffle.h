/* shuffle.h: whose value each lane gets in shfl. */
#ifndef KGEN_EMU_CODE_SHUFFLE_H
#define KGEN_EMU_CODE_SHUFFLE_H

#include "emu/code/code.h"

typedef enum { SHFL_UP, SHFL_DOWN, SHFL_BFLY, SHFL_IDX } ShflMode;

/* The lane whose value a lane gets by operands b and c [PTX ISA, shfl.sync]. False if that were out
 * of its segment: then it is its own. */
bool shuffle_source(ShflMode mode, uint32_t lane, uint32_t b, uint32_t c, uint32_t *from);
/* The same of all lanes. */
const ShflMap *shuffle_map(Arena *a, ShflMode mode, uint32_t b, uint32_t c);

#endif
