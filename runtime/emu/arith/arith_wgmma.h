/* arith_wgmma.h: wgmma.mma_async, the product of a warpgroup, on operands as bytes. */
#ifndef KGEN_EMU_ARITH_ARITH_WGMMA_H
#define KGEN_EMU_ARITH_ARITH_WGMMA_H

#include "emu/arith/arith_wgmma_opcode.h"

/* The rows of A that a warp holds in its lanes' registers. */
void arith_wgmma_rows(const uint64_t *const reg[WGMMA_A_REGISTERS],
                      uint8_t row[WGMMA_WARP_ROWS][WGMMA_BYTES]);

/*
 * d[w][r]: register r of warp w. Integers are exact; floats are summed as arith_dot.h says: f16,
 * bf16 and tf32 with 25 bits below the largest exponent, e4m3 and e5m2 with 13, and as many of the
 * result if it is f32.
 */
void arith_wgmma(const ArithWgmma *op, ArithWgmmaMode mode, const ArithTiles *tiles,
                 uint64_t *const d[WGMMA_WARPS][WGMMA_MAX_REGISTERS]);

/* The same for a processor with AVX2 (1), with AVX-512 (2), or with neither (0). */
void arith_wgmma_for(const ArithWgmma *op, ArithWgmmaMode mode, unsigned vectors,
                     const ArithTiles *tiles, uint64_t *const d[WGMMA_WARPS][WGMMA_MAX_REGISTERS]);

/* Where an element of D is held: the warp, its lane, the register and, of f16, the half. */
typedef struct {
  uint8_t warp, lane, reg, half;
} ArithWgmmaPlace;
ArithWgmmaPlace arith_wgmma_place(const ArithWgmma *op, unsigned row, unsigned column);

#endif
