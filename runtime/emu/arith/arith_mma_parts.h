/* arith_mma_parts.h: the products whose fragments have layouts of their own. */
#ifndef KGEN_EMU_ARITH_ARITH_MMA_PARTS_H
#define KGEN_EMU_ARITH_ARITH_MMA_PARTS_H

#include "emu/arith/arith_mma_opcode.h"

/* f16's m8n8k4, in each of the four groups of lanes. */
void arith_mma_quads(const ArithMma *mma, uint64_t *const *d, const uint64_t *const *a,
                     const uint64_t *const *b, const uint64_t *const *c);
/* The products of b1: how many bits are set in both a and b, or in exactly one of them. */
void arith_mma_bits(const ArithMma *mma, uint64_t *const *d, const uint64_t *const *a,
                    const uint64_t *const *b, const uint64_t *const *c);

#endif
