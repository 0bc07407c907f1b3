/* arith_mma_tile.h: dense products in loops that the compiler vectorizes: see arith_level.h. */
#ifndef KGEN_EMU_ARITH_ARITH_MMA_TILE_H
#define KGEN_EMU_ARITH_ARITH_MMA_TILE_H

#include "emu/arith/arith_mma_opcode.h"

/* d = a * b + c; false, and nothing is written, where a number is infinite, none, or far from one.
 */
typedef bool ArithMmaTile(const ArithMma *mma, uint64_t *const *d, const uint64_t *const *a,
                          const uint64_t *const *b, const uint64_t *const *c);

/* The function for an mma, compiled for each level; NULL where there is none. */
ArithMmaTile *arith_mma_tile(const ArithMma *mma);
#ifdef KGEN_ARITH_LEVELS
ArithMmaTile *arith_mma_tile_avx2(const ArithMma *mma);
ArithMmaTile *arith_mma_tile_avx512(const ArithMma *mma);
#endif

#endif
