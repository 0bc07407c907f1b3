/* SPDX-License-Identifier: MIT */
/* arith_wgmma_tile.h: wgmma in tiles of 16 rows and 8 columns: see arith_tile.h. */
#ifndef KGEN_EMU_ARITH_ARITH_WGMMA_TILE_H
#define KGEN_EMU_ARITH_ARITH_WGMMA_TILE_H

#include "emu/arith/arith_dot.h"
#include "emu/arith/arith_wgmma_opcode.h"

enum { WGMMA_GROUP = 8 }; /* columns */

/* The rounding of float sums: into f16 and f32, for 16-bit and 32-bit types and for 8-bit types. */
static inline DotRule arith_wgmma_rule(const ArithWgmma *op) {
  const bool bytes = op->a == ARITH_E4M3 || op->a == ARITH_E5M2, halves = op->d == ARITH_F16;
  return (DotRule){.kept = bytes ? 13 : DOT_KEPT,
                   .fraction = halves  ? 52
                               : bytes ? 13
                                       : 23,
                   .least = halves ? -14 : -126};
}
/* The number of registers per lane for a group of columns. */
static inline unsigned arith_wgmma_of_group(const ArithWgmma *op) {
  return op->d == ARITH_F16 ? 2 : 4;
}

/* Sets, for each warp, a bit mask of the column groups that were left unchanged because of an
 * infinity, a NaN or a wild number (arith_dot.h). Not for .b1. */
typedef void ArithWgmmaTile(const ArithWgmma *op, ArithWgmmaMode mode, const ArithTiles *tiles,
                            uint64_t *const d[WGMMA_WARPS][WGMMA_MAX_REGISTERS],
                            uint32_t left[WGMMA_WARPS]);

ArithWgmmaTile arith_wgmma_tile;
#ifdef KGEN_ARITH_LEVELS
ArithWgmmaTile arith_wgmma_tile_avx2, arith_wgmma_tile_avx512;
#endif

#endif
