/*
 * arith_tile.h: products of 16 rows with 8 columns, rounded as tensor cores do it, in vectors of a
 * column each: see arith_dot.h for the rule, and arith_level.h for how its file is compiled.
 *
 * Operands come as the registers of a warp. Of a lane 4 * g + t register r of A holds row g, or g +
 * 8 where r is odd, register r of B column g, and register r of C and D row g + 8 * (r / 2), column
 * 2 * t + r % 2. A register of A or B holds several elements along k, of which four lanes have the
 * next ones. In whatever order sums are taken along k, they are the same.
 */
#ifndef KGEN_EMU_ARITH_ARITH_TILE_H
#define KGEN_EMU_ARITH_ARITH_TILE_H

#include "emu/arith/arith_dot.h"
#include "emu/arith/lanes.h"

/* Elements of a lane along k in a row or a column, at most; columns of the product, in pairs. */
enum { TILE_DEPTH = 16, TILE_PAIRS = 4, TILE_WIDTH = LANES / 2 };

/* Halves of a warp's values. */
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

/* Which elements of a register are multiplied. */
typedef struct {
  const ArithFormat *format; /* NULL: integers */
  uint8_t bits;
  bool is_signed;
  uint8_t first, taken; /* from this one on, so many */
  int16_t least;        /* the exponent of subnormals */
} TileElements;

/* All elements of a register, with the exponents of their type. */
TileElements arith_tile_elements(ArithType type);

/* Element q of lane t of each four: the rows are value[2 * q + t / 2].v[t % 2]. Exponents of q are
 * the lower halves of those of q / 2 if it is even, else the upper ones. */
typedef struct {
  TileFloats value[2 * TILE_DEPTH];
  TileWords exponent[TILE_DEPTH];
  unsigned depth;
} TileRows;

/* By lane, as in the registers. */
typedef struct {
  TileFloats value[TILE_DEPTH];
  TileWords exponent[TILE_DEPTH / 2];
} TileColumns;

/* A warp's register, of 32 bits a lane. */
static inline void arith_tile_register(const uint64_t *reg, TileWords *out) {
#pragma omp simd
  for (unsigned lane = 0; lane < LANES; lane++) out->at[lane] = (uint32_t)reg[lane];
}

/* Rows 0 to 7 and 8 to 15 of each register of a row; false if a number is an infinity or a NaN, or
 * so large or small that a product of two such leaves the range of float. */
bool arith_tile_rows(const TileElements *x, const TileWords (*reg)[2], unsigned count,
                     TileRows *out);
bool arith_tile_columns(const TileElements *x, const TileWords *reg, unsigned count,
                        TileColumns *out);

/* Columns 2 * t and 2 * t + 1 are v[0] and v[1] of number t. f32: four registers of each lane; f16:
 * two, and false if one is an infinity or a NaN. */
bool arith_tile_take(ArithType type, const uint64_t *const *c, TileFloats out[TILE_PAIRS]);
/* The same way back: f32's bits, or f16's. */
void arith_tile_put(ArithType type, const TileWords sum[TILE_PAIRS], uint64_t *const *d);

/* c + rows * columns, as the bits of `type`, f32 or f16; false, and nothing is written, where c is
 * infinite or no number, or sums are too small. */
bool arith_tile_sum(const DotRule *rule, ArithType type, const TileRows *a, const TileColumns *b,
                    const TileFloats c[TILE_PAIRS], TileWords out[TILE_PAIRS]);
/* A sum as the bits of f16, rounded to nearest. A zero is +0. */
void arith_tile_halves(const double sum[LANES], TileWords *out);
/* c + rows * columns of integers, in the first registers of four. */
void arith_tile_add_exactly(const TileRows *a, const TileColumns *b, bool saturates,
                            const uint64_t *const *c, uint64_t *const *d, unsigned registers);

#endif
