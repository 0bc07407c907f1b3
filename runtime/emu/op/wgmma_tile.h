/*
 * wgmma_tile.h: where an operand of wgmma lies in shared memory. A descriptor holds, from bit 0,
 * the start address, from 16 the leading and from 32 the stride byte offset, all divided by 16,
 * from 49 the base offset and from 62 the swizzle mode: none, 128, 64 or 32 bytes. What 130
 * descriptors made an H200 read is what this says.
 *
 * A tile has lines, rows of A or columns of B, of 32 bytes of k. It is read in pieces of 16 bytes,
 * which hold consecutive k of one line (K-major), or one k of eight lines (MN-major, 16-bit types).
 */
#ifndef KGEN_EMU_WGMMA_TILE_H
#define KGEN_EMU_WGMMA_TILE_H

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
/* The shared address of a piece, the first line in it, and what its bytes are of the lines. */
uint32_t wgmma_tile_piece(const WgmmaTile *tile, unsigned piece);
unsigned wgmma_tile_line(const WgmmaTile *tile, unsigned piece);
void wgmma_tile_put(const WgmmaTile *tile, unsigned piece, const uint8_t from[WGMMA_PIECE],
                    uint8_t (*line)[WGMMA_BYTES]);

#endif
