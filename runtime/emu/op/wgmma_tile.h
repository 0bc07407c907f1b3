/* SPDX-License-Identifier: MIT */
/*
 * wgmma_tile.h: where an operand of wgmma lies in shared memory. A descriptor holds the start
 * address from bit 0, the leading byte offset from bit 16 and the stride byte offset from bit 32,
 * each divided by 16, the base offset from bit 49, and from bit 62 the swizzle mode: none, 128, 64
 * or 32 bytes. 130 descriptors on an H200 read what this says.
 *
 * A tile's lines, rows of A or columns of B, have 32 bytes of k. It is read in pieces of 16 bytes,
 * which hold consecutive k of one line (K-major), or one k of eight lines (MN-major, 16-bit types).
 */
#ifndef KGEN_EMU_OP_WGMMA_TILE_H
#define KGEN_EMU_OP_WGMMA_TILE_H

#include <stddef.h>

#include "emu/arith/arith_wgmma.h"

enum { WGMMA_PIECE = 16, WGMMA_MAX_PIECES = WGMMA_MAX_COLUMNS * WGMMA_BYTES / WGMMA_PIECE };

typedef struct {
  uint32_t start, leading, stride; /* bytes */
  uint32_t width;                  /* of the swizzled rows: 16 (none), 32, 64, 128 */
  uint32_t base_offset;
  bool by_mn;
} WgmmaTile;

WgmmaTile wgmma_tile(uint64_t descriptor, bool by_mn);
/* False, with the reason, if the swizzle begins where nobody writes it, or a row goes beyond it. No
 * GPU refuses such a descriptor: the product is of other bytes. */
bool wgmma_tile_is_sound(const WgmmaTile *tile, char *why, size_t size);
/* The shared address of a piece, and the first line that it holds bytes of. */
uint32_t wgmma_tile_piece(const WgmmaTile *tile, unsigned piece);
unsigned wgmma_tile_line(const WgmmaTile *tile, unsigned piece);
/* Copies a piece's bytes to their places in the lines. */
void wgmma_tile_put(const WgmmaTile *tile, unsigned piece, const uint8_t from[WGMMA_PIECE],
                    uint8_t (*line)[WGMMA_BYTES]);

#endif
