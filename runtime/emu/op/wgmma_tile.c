/* SPDX-License-Identifier: MIT */
/* Descriptors of wgmma, and the pieces of the tiles that they describe. */
#include "emu/op/wgmma_tile.h"

#include <stdio.h>
#include <string.h>

/* A core matrix: 8 lines, or 8 of k, of 16 bytes. */
enum { CORE = 8, HALVES = WGMMA_BYTES / WGMMA_PIECE, K16 = 16, TURN_SHIFT = 7 };

static uint32_t field(uint64_t bits, unsigned at) { return (uint32_t)(bits >> at & 0x3fff) << 4; }

WgmmaTile wgmma_tile(uint64_t bits, bool by_mn) {
  static const uint32_t width[] = {16, 128, 64, 32};
  return (WgmmaTile){.start = field(bits, 0),
                     .leading = field(bits, 16),
                     .stride = field(bits, 32),
                     .width = width[bits >> 62],
                     .base_offset = (uint32_t)(bits >> 49 & 7),
                     .by_mn = by_mn};
}

/* The largest index of a piece in a swizzled row: the bits that a swizzle changes. */
static uint32_t turns(const WgmmaTile *t) { return t->width / WGMMA_PIECE - 1; }

/* A pattern of swizzled pieces begins where the address minus the base offset has no row bits: at a
 * multiple of 8 rows, as TMA writes it wherever the tile begins, or where the tile does. On an H200
 * the products of both were right, at each of the 8 starts in each mode; those of other base
 * offsets were not. */
bool wgmma_tile_is_sound(const WgmmaTile *t, char *why, size_t size) {
  const uint32_t phase = t->start >> TURN_SHIFT & turns(t), within = t->start % t->width;
  const uint32_t base = t->base_offset & turns(t);
  if (base && base != phase) {
    snprintf(
        why, size,
        "by base offset %u the %u-byte swizzle begins neither at a multiple of %u bytes (0), as "
        "TMA writes it, nor at the start 0x%x (%u)",
        t->base_offset, t->width, CORE * t->width, t->start, phase);
    return false;
  }
  if (t->width > WGMMA_PIECE && !t->by_mn && within + WGMMA_BYTES > t->width) {
    snprintf(why, size, "32 bytes of k from 0x%x on go beyond the %u-byte row", t->start, t->width);
    return false;
  }
  return true;
}

/* K-major: rows have the mode's width, and groups of 8 are `stride` apart. Without a swizzle the
 * core matrices along k are `leading` apart. */
static uint32_t place_by_k(const WgmmaTile *t, unsigned piece) {
  const unsigned line = piece / HALVES, half = piece % HALVES;
  const uint32_t step = t->width > WGMMA_PIECE ? WGMMA_PIECE : t->leading;
  return line / CORE * t->stride + line % CORE * t->width + half * step;
}

/* MN-major: each k has a row of the mode's width, groups of 8 rows are `stride` apart, and the
 * lines that follow those of a row are `leading` further. Without a swizzle the two offsets are
 * exchanged. */
static uint32_t place_by_mn(const WgmmaTile *t, unsigned piece) {
  const unsigned of_row = t->width / WGMMA_PIECE, unit = piece / K16, k = piece % K16;
  const bool plain = of_row == 1;
  const uint32_t lines = plain ? t->stride : t->leading, of_k = plain ? t->leading : t->stride;
  return unit / of_row * lines + unit % of_row * WGMMA_PIECE + k / CORE * of_k +
         k % CORE * t->width;
}

/* The swizzle XORs the piece's index in its row with the row's, which are bits of the address. */
uint32_t wgmma_tile_piece(const WgmmaTile *t, unsigned piece) {
  const uint32_t at = t->start + (t->by_mn ? place_by_mn(t, piece) : place_by_k(t, piece));
  const uint32_t turn = ((at >> TURN_SHIFT) - t->base_offset) & turns(t);
  return at ^ turn * WGMMA_PIECE;
}

unsigned wgmma_tile_line(const WgmmaTile *t, unsigned piece) {
  return t->by_mn ? piece / K16 * CORE : piece / HALVES;
}

void wgmma_tile_put(const WgmmaTile *t, unsigned piece, const uint8_t from[WGMMA_PIECE],
                    uint8_t (*line)[WGMMA_BYTES]) {
  const unsigned first = wgmma_tile_line(t, piece);
  if (!t->by_mn) {
    memcpy(line[first] + piece % HALVES * WGMMA_PIECE, from, WGMMA_PIECE);
    return;
  }
  for (unsigned i = 0; i < CORE; i++) memcpy(line[first + i] + piece % K16 * 2, from + i * 2, 2);
}
