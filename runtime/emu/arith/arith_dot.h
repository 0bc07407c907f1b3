/* SPDX-License-Identifier: MIT */
/*
 * arith_dot.h: dot products, rounded as Hopper's tensor cores round them.
 *
 * Products are exact. The products and the addend are truncated to `kept` bits below the largest
 * exponent among them, where the exponent of a product is the sum of its factors' exponents. Zeros
 * have no exponent. The sum of the truncated values is exact and rounded once. Xie et al.,
 * "MMA-Sim", arXiv 2511.10909, describe an H100 in this way; 204,800 random sums per type, with
 * subnormals and zeros, equalled an H200's bit for bit. The ISA leaves order and rounding open.
 */
#ifndef KGEN_EMU_ARITH_ARITH_DOT_H
#define KGEN_EMU_ARITH_ARITH_DOT_H

#include "emu/arith/arith_format.h"

enum { DOT_BYTES = 32, DOT_MAX_K = 32, DOT_MAX_COLUMNS = 8, DOT_WIDTH = 4 };
/* `kept` for all types except wgmma's e4m3 and e5m2. */
enum { DOT_KEPT = 25 };

/* Vectors that every x86-64 and arm64 processor has. */
typedef float DotQuad __attribute__((vector_size(DOT_WIDTH * sizeof(float))));
typedef union {
  DotQuad quad[DOT_MAX_COLUMNS / DOT_WIDTH];
  float at[DOT_MAX_COLUMNS];
} DotValues;

/* Elements with their exponents. An element is wild if it is an infinity or a NaN, or so large or
 * small that a product of two such elements leaves the range of float. */
typedef struct {
  float value[DOT_MAX_K];
  int16_t exponent[DOT_MAX_K];
  bool wild; /* some element is wild */
} DotRow;

/* Several columns; elements with equal k are contiguous. */
typedef struct {
  DotValues value[DOT_MAX_K];
  int16_t exponent[DOT_MAX_K][DOT_MAX_COLUMNS];
  bool wild[DOT_MAX_COLUMNS];
  bool any_wild;
} DotColumns;

/* Splits DOT_BYTES bytes into floats of one type; returns their number. */
unsigned arith_dot_row(ArithType type, const uint8_t *bytes, DotRow *row);
void arith_dot_column(ArithType type, const uint8_t *bytes, unsigned column, DotColumns *columns);

/* The rounding of sums. */
typedef struct {
  uint8_t kept;     /* number of bits kept below the largest exponent */
  uint8_t fraction; /* fraction bits of the result, truncated; 52: all */
  int16_t least;    /* the smallest exponent of the addend: the exponent of subnormals */
} DotRule;

/* out[j] = addend[j] + row * column j. n is a multiple of 8. */
void arith_dot(const DotRule *rule, unsigned k, unsigned n, const DotRow *row,
               const DotColumns *columns, const float *addend, double *out);
/* Rounds a sum to f16, to nearest. A zero sum is +0, as on an H200. */
static inline uint64_t arith_dot_half(double sum) {
  const uint64_t minus_zero = 0x8000;
  const uint64_t bits = arith_encode(arith_format(ARITH_F16), sum, ARITH_RN, false);
  return bits == minus_zero ? 0 : bits;
}

#endif
