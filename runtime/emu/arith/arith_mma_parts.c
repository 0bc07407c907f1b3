/* SPDX-License-Identifier: MIT */
#include "emu/arith/arith_mma_parts.h"

#include <math.h>

#include "emu/arith/arith_format.h"
#include "emu/arith/lanes.h"

enum { SIDE = 8, DEPTH = 4 };

/* --- four products of 8x8x4 --- */

typedef struct {
  unsigned row, col;
} Cell;

/* The lane at position `place` of group q: positions 0 to 3 are in the warp's lower half, 4 to 7 in
 * its upper half. */
static unsigned lane_of(unsigned quad, unsigned place) {
  return quad * 4 + place % 4 + place / 4 * 16;
}

/* The position of element i of a lane's four elements in A, or in B with rows and columns exchanged
 * [PTX ISA, m8n8k4]. */
static Cell operand_cell(unsigned place, unsigned i, bool along_k) {
  const unsigned first = place / 4 * 4;
  return along_k ? (Cell){place % 4 + first, i} : (Cell){i + first, place % 4};
}

/* The position of an element in C and D: with f16 a lane holds a row, with f32 pairs of columns. */
static Cell result_cell(unsigned place, unsigned i, unsigned type) {
  const unsigned first = place / 4 * 4;
  if (type == ARITH_F16) return (Cell){place % 4 + first, i};
  return (Cell){place % 2 + (i & 2) + first, (i & 4) + (place & 2) + (i & 1)};
}

static double element(const uint64_t *const *reg, unsigned type, unsigned lane, unsigned i) {
  const unsigned per = arith_mma_per_register(type);
  const uint64_t bits = reg[i / per][lane] >> (i % per * 16);
  return arith_decode(arith_format((ArithType)type), bits & (per == 1 ? UINT32_MAX : UINT16_MAX));
}

typedef struct {
  double a[SIDE][DEPTH], b[SIDE][DEPTH];
} Quad;

static void gather(Quad *x, const ArithMma *mma, const uint64_t *const *a, const uint64_t *const *b,
                   unsigned quad) {
  for (unsigned place = 0; place < SIDE; place++)
    for (unsigned i = 0; i < DEPTH; i++) {
      const unsigned lane = lane_of(quad, place);
      const Cell of_a = operand_cell(place, i, !mma->a_by_column);
      const Cell of_b = operand_cell(place, i, !mma->b_by_row);
      x->a[of_a.row][of_a.col] = element(a, ARITH_F16, lane, i);
      x->b[of_b.row][of_b.col] = element(b, ARITH_F16, lane, i);
    }
}

/* Sums as ptxas compiles it since sm_80: in f32, with the addend last or, for an f16 result, first,
 * before two pairs of products. */
static double dot(const Quad *x, Cell at, double addend, bool in_pairs) {
  const double *a = x->a[at.row], *b = x->b[at.col];
  float sum[2] = {0};
  for (unsigned k = 0; k < DEPTH; k++) {
    float *to = &sum[in_pairs && k >= DEPTH / 2];
    *to = fmaf((float)a[k], (float)b[k], *to);
  }
  return (double)((float)addend + sum[0] + sum[1]);
}

/* The elements of C are in other lanes than the elements of D if their types differ. */
static void addends(const ArithMma *mma, const uint64_t *const *c, unsigned quad,
                    double out[SIDE][SIDE]) {
  for (unsigned place = 0; place < SIDE; place++)
    for (unsigned i = 0; i < SIDE; i++) {
      const Cell at = result_cell(place, i, mma->c);
      out[at.row][at.col] = element(c, mma->c, lane_of(quad, place), i);
    }
}

static void put_results(const ArithMma *mma, const Quad *x, double c[SIDE][SIDE], unsigned quad,
                        uint64_t *const *d) {
  const ArithFormat *format = arith_format((ArithType)mma->d);
  const unsigned per = arith_mma_per_register(mma->d);
  for (unsigned place = 0; place < SIDE; place++)
    for (unsigned i = 0; i < SIDE; i++) {
      const Cell at = result_cell(place, i, mma->d);
      const uint64_t bits =
          arith_encode(format, dot(x, at, c[at.row][at.col], mma->d == ARITH_F16), ARITH_RN, false);
      uint64_t *reg = &d[i / per][lane_of(quad, place)];
      *reg = i % per ? *reg | bits << 16 : bits;
    }
}

void arith_mma_quads(const ArithMma *mma, uint64_t *const *d, const uint64_t *const *a,
                     const uint64_t *const *b, const uint64_t *const *c) {
  for (unsigned quad = 0; quad < LANES / SIDE; quad++) {
    Quad x;
    double sum[SIDE][SIDE];
    gather(&x, mma, a, b, quad);
    addends(mma, c, quad, sum);
    put_results(mma, &x, sum, quad, d);
  }
}

/* --- bits --- */

/* The 32 bits of a row of A or a column of B that start at k = 32 * word. */
static uint32_t bits_of(const uint64_t *const *reg, unsigned rows, unsigned line, unsigned word) {
  return (uint32_t)reg[line / SIDE + word / 4 * rows][line % SIDE * 4 + word % 4];
}

static uint32_t count(const ArithMma *mma, const uint64_t *const *a, const uint64_t *const *b,
                      unsigned i, unsigned j) {
  uint32_t sum = 0;
  for (unsigned word = 0; word < mma->k / 32u; word++) {
    const uint32_t x = bits_of(a, mma->m / SIDE, i, word), y = bits_of(b, 1, j, word);
    sum += lane_count(mma->logic == ARITH_XOR ? x ^ y : x & y);
  }
  return sum;
}

void arith_mma_bits(const ArithMma *mma, uint64_t *const *d, const uint64_t *const *a,
                    const uint64_t *const *b, const uint64_t *const *c) {
  for (unsigned r = 0; r < mma->n_d; r++)
    for (unsigned lane = 0; lane < LANES; lane++) {
      const unsigned i = lane / 4 + r / 2 * SIDE, j = lane % 4 * 2 + r % 2;
      d[r][lane] = (uint32_t)c[r][lane] + count(mma, a, b, i, j);
    }
}
