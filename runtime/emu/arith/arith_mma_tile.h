/* SPDX-License-Identifier: MIT */
/* arith_mma_tile.h: dense products in loops that the compiler vectorizes: see arith_level.h. */
#ifndef KGEN_EMU_ARITH_ARITH_MMA_TILE_H
#define KGEN_EMU_ARITH_ARITH_MMA_TILE_H

#include "emu/arith/arith_mma_opcode.h"

/* d = a * b + c. Returns false, and writes nothing, if some number is an infinity, a NaN, or wild
 * (arith_dot.h). */
typedef bool ArithMmaTile(const ArithMma *mma, uint64_t *const *d, const uint64_t *const *a,
                          const uint64_t *const *b, const uint64_t *const *c);

/* The vectorized function for an mma at each level; NULL if there is none. */
ArithMmaTile *arith_mma_tile(const ArithMma *mma);
#ifdef KGEN_ARITH_LEVELS
ArithMmaTile *arith_mma_tile_avx2(const ArithMma *mma);
ArithMmaTile *arith_mma_tile_avx512(const ArithMma *mma);
#endif

#endif
