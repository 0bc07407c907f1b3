/* SPDX-License-Identifier: MIT */
/* arith_mma_fused.h: mma.sync of f16, bf16 and tf32, rounded as arith_dot.h describes, with all
 * products of a result and its addend summed at once; and of e4m3 and e5m2, in two steps. */
#ifndef KGEN_EMU_ARITH_ARITH_MMA_FUSED_H
#define KGEN_EMU_ARITH_ARITH_MMA_FUSED_H

#include "emu/arith/arith_mma_opcode.h"

bool arith_mma_is_fused(const ArithMma *mma);
/* Arguments as for arith_mma(). */
void arith_mma_fused(const ArithMma *mma, uint64_t *const *d, const uint64_t *const *a,
                     const uint64_t *const *b, const uint64_t *const *c, const uint64_t *e);

#endif
