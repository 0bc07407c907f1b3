/* SPDX-License-Identifier: MIT */
/* arith_mma_parts.h: mma.sync shapes whose fragments have layouts of their own. */
#ifndef KGEN_EMU_ARITH_ARITH_MMA_PARTS_H
#define KGEN_EMU_ARITH_ARITH_MMA_PARTS_H

#include "emu/arith/arith_mma_opcode.h"

/* m8n8k4 of f16, in each of the four groups of lanes. */
void arith_mma_quads(const ArithMma *mma, uint64_t *const *d, const uint64_t *const *a,
                     const uint64_t *const *b, const uint64_t *const *c);
/* b1: counts the bits that are set in both a and b, or in exactly one of them. */
void arith_mma_bits(const ArithMma *mma, uint64_t *const *d, const uint64_t *const *a,
                    const uint64_t *const *b, const uint64_t *const *c);

#endif
