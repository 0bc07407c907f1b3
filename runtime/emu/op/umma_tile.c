/* SPDX-License-Identifier: MIT */
#include "emu/op/umma_tile.h"

#include <stdio.h>
#include <string.h>

/* A core matrix: 8 lines, or 8 of k, of 16 bytes; of the 32-byte atom 4 of k. TURN_SHIFT: the bits
 * of the address that are XORed into the unit's index. */
enum { CORE = 8, ATOM32_K = 4, TURN_SHIFT = 7 };

/* Values of the swizzle mode. */
enum { MODE_NONE, MODE_ATOM32, MODE_128, MODE_64 = 4, MODE_32 = 6 };
enum { CONSTANT_SHIFT = 46, CONSTANT_MASK = 7, LEADING_MODE = 52, MODE_SHIFT = 61 };

static uint32_t field(uint64_t bits, unsigned at) { return (uint32_t)(bits >> at & 0x3fff) << 4; }

UmmaTile umma_tile(uint64_t descriptor, Tcgen05Type type, bool packed, bool by_mn) {
  static const uint8_t width[] = {16, 128, 128, 16, 64, 16, 32, 16};
  const unsigned bits = arith_tcgen05_bits(type), mode = (unsigned)(descriptor >> MODE_SHIFT);
  return (UmmaTile){.descriptor = descriptor,
                    .start = field(descriptor, 0),
                    .leading = field(descriptor, 16),
                    .stride = field(descriptor, 32),
                    .width = width[mode],
                    .atom32 = mode == MODE_ATOM32,
                    .base_offset = (uint32_t)(descriptor >> 49 & 7),
                    .by_mn = by_mn,
                    .line = UMMA_BYTES,
                    .bits = (uint8_t)bits,
                    .per_unit = (uint8_t)(bits < 8 && !packed ? 16 : UMMA_UNIT * 8 / bits)};
}

/* The largest index of a unit in a swizzled row: the bits that a swizzle changes. */
static uint32_t turns(const UmmaTile *t) {
  return t->width / (t->atom32 ? 2 * UMMA_UNIT : UMMA_UNIT) - 1;
}

/* Bits that are 0 in every descriptor. */
static uint64_t reserved(uint64_t descriptor) {
  return descriptor & (UINT64_C(3) << 14 | UINT64_C(3) << 30 | UINT64_C(0xff) << 53);
}

/* A pattern of swizzled units begins where the address minus the base offset has no row bits: at a
 * multiple of 8 rows, or where the tile does. */
bool umma_tile_is_sound(const UmmaTile *t, char *why, size_t size) {
  const uint64_t bits = t->descriptor;
  const unsigned mode = (unsigned)(bits >> MODE_SHIFT);
  const unsigned constant = (unsigned)(bits >> CONSTANT_SHIFT & CONSTANT_MASK);
  const uint32_t phase = t->start >> TURN_SHIFT & turns(t), base = t->base_offset & turns(t);
  if (mode == 3 || mode == 5 || mode == 7)
    snprintf(why, size, "swizzle mode %u: 0, 1, 2, 4 and 6 are possible", mode);
  else if (constant != 1)
    snprintf(why, size, "bits 46 to 48 are %u, and must be 1 on sm_100", constant);
  else if (reserved(bits))
    snprintf(why, size, "0x%llx has bits that must be 0", (unsigned long long)bits);
  else if (bits >> LEADING_MODE & 1)
    snprintf(why, size, "bit 52, an absolute leading address, is not supported");
  else if (t->atom32 && !t->by_mn)
    snprintf(why, size, "the 128-byte swizzle of 32-byte units is for MN-major operands alone");
  else if (base && base != phase)
    snprintf(why, size,
             "by base offset %u the %u-byte swizzle begins neither at a multiple of %u "
             "bytes (0) nor at the start 0x%x (%u)",
             t->base_offset, t->width, CORE * t->width, t->start, phase);
  else if (t->width > UMMA_UNIT && !t->by_mn && t->start % t->width + t->line > t->width)
    snprintf(why, size, "%u bytes of k from 0x%x on go beyond the %u-byte row", t->line, t->start,
             t->width);
  else
    return true;
  return false;
}

static unsigned k_of(const UmmaTile *t) { return t->line * 8u / t->bits; }

static unsigned units_of_line(const UmmaTile *t) { return t->line / (unsigned)UMMA_UNIT; }

/* K-major: rows have the mode's width, and groups of 8 are `stride` apart. Without a swizzle the
 * core matrices along k are `leading` apart. */
static uint32_t place_by_k(const UmmaTile *t, unsigned line, unsigned half) {
  const uint32_t step = t->width > UMMA_UNIT ? UMMA_UNIT : t->leading;
  return line / CORE * t->stride + line % CORE * t->width + half * step;
}

/* MN-major: each k has a row of the mode's width, groups of k are `stride` apart, and the lines
 * that follow a row's lines are `leading` further. Without a swizzle the two are exchanged. */
static uint32_t place_by_mn(const UmmaTile *t, unsigned unit) {
  const unsigned of_row = t->width / UMMA_UNIT, u = unit / k_of(t), k = unit % k_of(t);
  const unsigned core = t->atom32 ? ATOM32_K : CORE;
  const bool plain = of_row == 1;
  const uint32_t lines = plain ? t->stride : t->leading, of_k = plain ? t->leading : t->stride;
  return u / of_row * lines + u % of_row * UMMA_UNIT + k / core * of_k + k % core * t->width;
}

unsigned umma_tile_units(const UmmaTile *t, unsigned lines) { return lines * units_of_line(t); }

/* The swizzle XORs the unit's index in its row with the row's, which are bits of the address. */
static uint32_t swizzled(const UmmaTile *t, uint32_t at) {
  const uint32_t turn = ((at >> TURN_SHIFT) - t->base_offset) & turns(t);
  return at ^ turn * (t->atom32 ? 2u * UMMA_UNIT : UMMA_UNIT);
}

uint32_t umma_tile_bytes(const UmmaTile *t, unsigned line, unsigned half) {
  return swizzled(t, t->start + place_by_k(t, line, half));
}

uint32_t umma_tile_unit(const UmmaTile *t, unsigned unit) {
  if (!t->by_mn) return umma_tile_bytes(t, unit / units_of_line(t), unit % units_of_line(t));
  return swizzled(t, t->start + place_by_mn(t, unit));
}

UmmaLines umma_tile_lines(const UmmaTile *t, unsigned unit) {
  if (t->by_mn) return (UmmaLines){unit / k_of(t) * t->per_unit, t->per_unit};
  return (UmmaLines){unit / units_of_line(t), 1};
}

void umma_tile_put(const UmmaTile *t, unsigned unit, const uint8_t from[UMMA_UNIT],
                   uint32_t (*line)[TCGEN05_MAX_K]) {
  const uint32_t mask = t->bits < 32 ? (1u << t->bits) - 1 : UINT32_MAX;
  const unsigned first = umma_tile_lines(t, unit).first;
  for (unsigned i = 0; i < t->per_unit; i++) {
    uint32_t word = 0;
    const unsigned at = i * t->bits, bytes = UMMA_UNIT - at / 8;
    memcpy(&word, from + at / 8, bytes < sizeof word ? bytes : sizeof word);
    word = word >> at % 8 & mask;
    if (t->by_mn)
      line[first + i][unit % k_of(t)] = word;
    else
      line[first][unit % units_of_line(t) * t->per_unit + i] = word;
  }
}
