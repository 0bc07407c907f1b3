/* SPDX-License-Identifier: MIT */
/* arith_wgmma.h: wgmma.mma_async, the matrix multiply of a warpgroup, on operands as bytes. */
#ifndef KGEN_EMU_ARITH_ARITH_WGMMA_H
#define KGEN_EMU_ARITH_ARITH_WGMMA_H

#include "emu/arith/arith_wgmma_opcode.h"

/* Reads the rows of A that a warp holds in its lanes' registers. */
void arith_wgmma_rows(const uint64_t *const reg[WGMMA_A_REGISTERS],
                      uint8_t row[WGMMA_WARP_ROWS][WGMMA_BYTES]);

/* d[w][r]: register r of warp w. Integers are exact. Floats are summed as arith_dot.h describes:
 * f16, bf16 and tf32 with 25 bits kept below the largest exponent; e4m3 and e5m2 with 13, and with
 * 13 fraction bits in an f32 result. */
void arith_wgmma(const ArithWgmma *op, ArithWgmmaMode mode, const ArithTiles *tiles,
                 uint64_t *const d[WGMMA_WARPS][WGMMA_MAX_REGISTERS]);

/* Like arith_wgmma(), with vector level 0 (baseline), 1 (AVX2) or 2 (AVX-512). */
void arith_wgmma_for(const ArithWgmma *op, ArithWgmmaMode mode, unsigned vectors,
                     const ArithTiles *tiles, uint64_t *const d[WGMMA_WARPS][WGMMA_MAX_REGISTERS]);

/* The location of an element of D: the warp, lane and register and, for f16, the half. */
typedef struct {
  uint8_t warp, lane, reg, half;
} ArithWgmmaPlace;
ArithWgmmaPlace arith_wgmma_location(const ArithWgmma *op, unsigned row, unsigned column);

#endif
