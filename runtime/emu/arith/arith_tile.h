/* SPDX-License-Identifier: MIT */
/*
 * arith_tile.h: products of 16 rows with 8 columns, rounded as by tensor cores (arith_dot.h), with
 * vectors of one column each. arith_level.h describes how its file is compiled.
 *
 * Operands are the registers of a warp. In lane 4 * g + t, register r of A holds row g, or g + 8 if
 * r is odd; register r of B holds column g; register r of C and D holds row g + 8 * (r / 2), column
 * 2 * t + r % 2. A register of A or B holds several elements along k, and the next three lanes the
 * following ones. The order of summation along k does not affect the result.
 */
#ifndef KGEN_EMU_ARITH_ARITH_TILE_H
#define KGEN_EMU_ARITH_ARITH_TILE_H

#include "emu/arith/arith_dot.h"
#include "emu/arith/lanes.h"

/* Maximum number of elements per lane along k in a row or a column; columns of the product, in
 * pairs. */
enum { TILE_DEPTH = 16, TILE_PAIRS = 4, TILE_WIDTH = LANES / 2 };

/* Vectors of half a warp's values. */
typedef float TileVector __attribute__((vector_size(TILE_WIDTH * sizeof(float))));
typedef int32_t TileWhole __attribute__((vector_size(TILE_WIDTH * sizeof(int32_t))));
typedef union {
  float at[LANES];
  TileVector v[2];
} TileFloats;
typedef union {
  uint32_t at[LANES];
  TileWhole v[2];
} TileWords;

/* Selects the elements of a register that are multiplied. */
typedef struct {
  const ArithFormat *format; /* NULL: integers */
  uint8_t bits;
  bool is_signed;
  uint8_t first, taken; /* the first element, and the number of elements */
  int16_t least;        /* the exponent of subnormals */
} TileElements;

/* Selects all elements of a register, with the exponents of their type. */
TileElements arith_tile_elements(ArithType type);

/* Element q of lane t of each four: its rows are in value[2 * q + t / 2].v[t % 2]. The exponents
 * for q are the lower halves of entry q / 2 if q is even, else the upper halves. */
typedef struct {
  TileFloats value[2 * TILE_DEPTH];
  TileWords exponent[TILE_DEPTH];
  unsigned depth;
} TileRows;

/* Indexed by lane, as in the registers. */
typedef struct {
  TileFloats value[TILE_DEPTH];
  TileWords exponent[TILE_DEPTH / 2];
} TileColumns;

/* Reads a register of a warp, 32 bits per lane. */
static inline void arith_tile_register(const uint64_t *reg, TileWords *out) {
#pragma omp simd
  for (unsigned lane = 0; lane < LANES; lane++) out->at[lane] = (uint32_t)reg[lane];
}

/* Reads rows 0 to 7 and 8 to 15 from each register of a row; false if some number is wild
 * (arith_dot.h). */
bool arith_tile_rows(const TileElements *x, const TileWords (*reg)[2], unsigned count,
                     TileRows *out);
bool arith_tile_columns(const TileElements *x, const TileWords *reg, unsigned count,
                        TileColumns *out);

/* Reads C. Columns 2 * t and 2 * t + 1 are v[0] and v[1] of number t. f32: four registers per lane;
 * f16: two, and false if one is an infinity or a NaN. */
bool arith_tile_take(ArithType type, const uint64_t *const *c, TileFloats out[TILE_PAIRS]);
/* Writes D in the same order, as f32 or f16 bits. */
void arith_tile_put(ArithType type, const TileWords sum[TILE_PAIRS], uint64_t *const *d);

/* c + rows * columns, as the bits of `type`, f32 or f16. Returns false, and writes nothing, if c is
 * infinite or NaN, or if sums are too small. */
bool arith_tile_sum(const DotRule *rule, ArithType type, const TileRows *a, const TileColumns *b,
                    const TileFloats c[TILE_PAIRS], TileWords out[TILE_PAIRS]);
/* Rounds a sum to f16 bits, to nearest. A zero is +0. */
void arith_tile_halves(const double sum[LANES], TileWords *out);
/* c + rows * columns for integers, in the first registers of four. */
void arith_tile_add_exactly(const TileRows *a, const TileColumns *b, bool saturates,
                            const uint64_t *const *c, uint64_t *const *d, unsigned registers);

#endif
