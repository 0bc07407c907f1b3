/* SPDX-License-Identifier: MIT */
#include "emu/arith/arith_wgmma.h"

#include <string.h>

#include "emu/arith/arith_resolve.h"
#include "emu/arith/arith_wgmma_tile.h"
#include "emu/arith/lanes.h"

/* --- registers --- */

/* Register r of a lane holds 4 bytes of row lane / 4, or of the row 8 below if r is odd, at byte 4
 * * (lane % 4); the last two registers are 16 bytes further. */
void arith_wgmma_rows(const uint64_t *const reg[WGMMA_A_REGISTERS],
                      uint8_t row[WGMMA_WARP_ROWS][WGMMA_BYTES]) {
  for (unsigned r = 0; r < WGMMA_A_REGISTERS; r++)
    for (unsigned lane = 0; lane < LANES; lane++) {
      const uint32_t bits = (uint32_t)reg[r][lane];
      memcpy(row[lane / 4 + r % 2 * 8] + lane % 4 * 4 + r / 2 * 16, &bits, sizeof bits);
    }
}

ArithWgmmaPlace arith_wgmma_location(const ArithWgmma *op, unsigned row, unsigned column) {
  const unsigned pair = 2 * (column / 8) + row / 8 % 2;
  const bool halves = op->d == ARITH_F16;
  return (ArithWgmmaPlace){.warp = (uint8_t)(row / WGMMA_WARP_ROWS),
                           .lane = (uint8_t)(row % 8 * 4 + column % 8 / 2),
                           .reg = (uint8_t)(halves ? pair : 2 * pair + column % 2),
                           .half = (uint8_t)(halves ? column % 2 : 0)};
}

/* --- eight columns of a warp, row by row: bits, and floats of any magnitude --- */

/* The registers of a row, and the first of its four lanes, as in arith_wgmma_location(). */
typedef struct {
  unsigned first, lane;
  bool halves;
} RowPlace;

static RowPlace place_of_row(const ArithWgmma *op, unsigned row) {
  const bool halves = op->d == ARITH_F16;
  return (RowPlace){row / 8 % 2 * (halves ? 1 : 2), row % 8 * 4, halves};
}

static void take_row(const ArithWgmma *op, uint64_t *const *d, unsigned row, uint32_t *bits) {
  const RowPlace at = place_of_row(op, row);
  for (unsigned i = 0; i < 4; i++) {
    const uint32_t low = (uint32_t)d[at.first][at.lane + i];
    bits[2 * i] = at.halves ? low & 0xffff : low;
    bits[2 * i + 1] = at.halves ? low >> 16 : (uint32_t)d[at.first + 1][at.lane + i];
  }
}

static void put_row(const ArithWgmma *op, uint64_t *const *d, unsigned row, const uint32_t *bits) {
  const RowPlace at = place_of_row(op, row);
  for (unsigned i = 0; i < 4; i++) {
    const uint32_t low = bits[2 * i], high = bits[2 * i + 1];
    d[at.first][at.lane + i] = at.halves ? low | high << 16 : low;
    if (!at.halves) d[at.first + 1][at.lane + i] = high;
  }
}

static unsigned common_bits(const uint8_t *a, const uint8_t *b) {
  uint64_t x[WGMMA_BYTES / 8], y[WGMMA_BYTES / 8];
  unsigned count = 0;
  memcpy(x, a, sizeof x);
  memcpy(y, b, sizeof y);
  for (unsigned i = 0; i < WGMMA_BYTES / 8; i++)
    count += (unsigned)__builtin_popcountll(x[i] & y[i]);
  return count;
}

typedef const uint8_t (*Lines)[WGMMA_BYTES];

static void row_of_bits(ArithWgmmaMode mode, const uint8_t *a, Lines b, uint32_t *d) {
  for (unsigned j = 0; j < WGMMA_GROUP; j++) d[j] = (mode.adds ? d[j] : 0) + common_bits(a, b[j]);
}

static void negate(unsigned k, DotRow *row) {
  for (unsigned i = 0; i < k; i++) row->value[i] = -row->value[i];
}

static void decode_addends(const ArithWgmma *op, const uint32_t *bits, float *out) {
  const ArithFormat *format = arith_format((ArithType)op->d);
  const bool halves = op->d == ARITH_F16;
  for (unsigned j = 0; j < WGMMA_GROUP; j++)
    out[j] = halves ? (float)arith_decode(format, bits[j]) : arith_f32(bits[j]);
}

static void row_of_floats(const ArithWgmma *op, ArithWgmmaMode mode, const uint8_t *line,
                          const DotColumns *columns, uint32_t *d) {
  const DotRule rule = arith_wgmma_rule(op);
  DotRow a;
  float addend[WGMMA_GROUP] = {0};
  double sum[WGMMA_GROUP];
  const unsigned k = arith_dot_row((ArithType)op->a, line, &a);
  if (mode.negative) negate(k, &a);
  if (mode.adds) decode_addends(op, d, addend);
  arith_dot(&rule, k, WGMMA_GROUP, &a, columns, addend, sum);
  for (unsigned j = 0; j < WGMMA_GROUP; j++)
    d[j] = op->d == ARITH_F32 ? (uint32_t)arith_f32_result((float)sum[j])
                              : (uint32_t)arith_dot_half(sum[j]);
}

/* Multiplies 16 rows with 8 columns. */
static void multiply_plainly(const ArithWgmma *op, ArithWgmmaMode mode, Lines a, Lines b,
                             uint64_t *const *d) {
  uint32_t bits[WGMMA_GROUP];
  const bool is_bits = op->a == ARITH_PRED;
  DotColumns columns = {.any_wild = false};
  for (unsigned j = 0; j < WGMMA_GROUP && !is_bits; j++)
    arith_dot_column((ArithType)op->b, b[j], j, &columns);
  for (unsigned row = 0; row < WGMMA_WARP_ROWS; row++) {
    take_row(op, d, row, bits);
    if (is_bits)
      row_of_bits(mode, a[row], b, bits);
    else
      row_of_floats(op, mode, a[row], &columns, bits);
    put_row(op, d, row, bits);
  }
}

/* --- the whole operation --- */

static void multiply_tiles(const ArithWgmma *op, ArithWgmmaMode mode, unsigned vectors,
                           const ArithTiles *tiles,
                           uint64_t *const d[WGMMA_WARPS][WGMMA_MAX_REGISTERS],
                           uint32_t left[WGMMA_WARPS]) {
#ifdef KGEN_ARITH_LEVELS
  ArithWgmmaTile *const tile[] = {arith_wgmma_tile, arith_wgmma_tile_avx2, arith_wgmma_tile_avx512};
  tile[vectors](op, mode, tiles, d, left);
#else
  (void)vectors;
  arith_wgmma_tile(op, mode, tiles, d, left);
#endif
}

void arith_wgmma_for(const ArithWgmma *op, ArithWgmmaMode mode, unsigned vectors,
                     const ArithTiles *tiles, uint64_t *const d[WGMMA_WARPS][WGMMA_MAX_REGISTERS]) {
  const uint32_t all = UINT32_MAX >> (32 - op->n / WGMMA_GROUP);
  uint32_t left[WGMMA_WARPS] = {all, all, all, all};
  if (op->a != ARITH_PRED) multiply_tiles(op, mode, vectors, tiles, d, left);
  for (unsigned w = 0; w < WGMMA_WARPS; w++)
    FOR_LANES(g, left[w]) {
      multiply_plainly(op, mode, tiles->a + WGMMA_WARP_ROWS * w, tiles->b + WGMMA_GROUP * g,
                       d[w] + arith_wgmma_of_group(op) * g);
    }
}

void arith_wgmma(const ArithWgmma *op, ArithWgmmaMode mode, const ArithTiles *tiles,
                 uint64_t *const d[WGMMA_WARPS][WGMMA_MAX_REGISTERS]) {
  arith_wgmma_for(op, mode, arith_most_vectors(), tiles, d);
}
