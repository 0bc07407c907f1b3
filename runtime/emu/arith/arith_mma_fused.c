/* SPDX-License-Identifier: MIT */
#include "emu/arith/arith_mma_fused.h"

#include <string.h>

#include "emu/arith/arith_dot.h"
#include "emu/arith/arith_mma_sparse.h"
#include "emu/arith/arith_row.h"
#include "emu/arith/lanes.h"

enum { ROWS = 16, COLUMNS = 8, MAX_BYTES = 2 * DOT_BYTES };

static bool is_bytes(const ArithMma *mma) { return mma->a == ARITH_E4M3 || mma->a == ARITH_E5M2; }

bool arith_mma_is_fused(const ArithMma *mma) {
  return mma->a == ARITH_F16 || mma->a == ARITH_BF16 || mma->a == ARITH_TF32 || is_bytes(mma);
}

/* The elements of a line, contiguous along k and followed by zeros, which do not change a sum. The
 * lines of A are rows (of the stored elements if it is sparse); the lines of B are columns. */
typedef uint8_t Line[MAX_BYTES];

typedef struct {
  Line a[ROWS], b[COLUMNS];
  int half; /* for e4m3 and e5m2: the half of each register that is multiplied */
} Operands;

/* Gathers lines. Register r of a lane holds 4 bytes of line lane / 4 (in A, of the line 8 below if
 * r is odd), starting at byte lane % 4 * 4; the next register of the line is 16 bytes further. */
static void gather(Line *line, unsigned lines, unsigned registers, const uint64_t *const *reg) {
  const unsigned rows = lines / 8;
  for (unsigned r = 0; r < registers; r++)
    for (unsigned lane = 0; lane < LANES; lane++) {
      const uint32_t bits = (uint32_t)reg[r][lane];
      memcpy(line[lane / 4 + r % rows * 8] + lane % 4 * 4 + r / rows * 16, &bits, sizeof bits);
    }
}

/* Converts a byte to f16, exactly. Both formats have a sign and f16's order of fields. e5m2 has
 * f16's exponents; e4m3's differ by 8, and its subnormals are normal f16 numbers. */
static uint16_t half_of(unsigned type, uint8_t byte) {
  static const uint16_t subnormal[8] = {0, 0x1800, 0x1c00, 0x1e00, 0x2000, 0x2100, 0x2200, 0x2300};
  const unsigned magnitude = byte & 0x7fu, sign = (byte & 0x80u) << 8;
  if (type == ARITH_E5M2) return (uint16_t)(byte << 8);
  if (magnitude == 0x7f) return 0x7fff; /* NaN */
  return (uint16_t)(sign | (magnitude < 8 ? subnormal[magnitude] : (magnitude << 7) + (8u << 10)));
}

/* The type that is multiplied: 8-bit types are converted to f16, the lower or upper two bytes of a
 * register at a time. */
static ArithType factor_type(unsigned type) {
  return type == ARITH_E4M3 || type == ARITH_E5M2 ? ARITH_F16 : (ArithType)type;
}

static void take_half(unsigned type, int half, Line line) {
  uint16_t factor[DOT_BYTES / 2];
  if (factor_type(type) == type) return;
  for (int i = 0; i < DOT_BYTES / 2; i++)
    factor[i] = half_of(type, line[i / 2 * 4 + half * 2 + i % 2]);
  memcpy(line, factor, sizeof factor);
}

/* Selects the elements of B's columns that are multiplied with the stored elements of a sparse A's
 * row. */
static void choose(const ArithMma *mma, const Operands *x, const uint64_t *e, unsigned row,
                   DotColumns *columns) {
  const unsigned size = arith_bits((ArithType)mma->b) / 8;
  columns->any_wild = false;
  for (unsigned j = 0; j < COLUMNS; j++) {
    Line kept = {0};
    for (unsigned s = 0; s < mma->k / 2u; s++)
      memcpy(kept + s * size, x->b[j] + arith_mma_position(mma, e, row, s) * size, size);
    take_half(mma->b, x->half, kept);
    arith_dot_column(factor_type(mma->b), kept, j, columns);
  }
}

static void all_columns(const ArithMma *mma, const Operands *x, DotColumns *columns) {
  columns->any_wild = false;
  for (unsigned j = 0; j < COLUMNS; j++) {
    Line column;
    memcpy(column, x->b[j], sizeof column);
    take_half(mma->b, x->half, column);
    arith_dot_column(factor_type(mma->b), column, j, columns);
  }
}

/* The lane and the register that hold element (row, column) of C and D. */
typedef struct {
  unsigned reg, lane, shift;
} Place;

static Place place_of(unsigned type, unsigned row, unsigned column) {
  const unsigned lane = row % 8 * 4 + column / 2, half = row / 8;
  if (type == ARITH_F16) return (Place){half, lane, column % 2 * 16};
  return (Place){2 * half + column % 2, lane, 0};
}

static float addend_of(const ArithMma *mma, const uint64_t *const *c, unsigned row, unsigned j) {
  const Place at = place_of(mma->c, row, j);
  const uint32_t bits = (uint32_t)c[at.reg][at.lane] >> at.shift;
  if (mma->c == ARITH_F32) return arith_f32(bits);
  return (float)arith_decode(arith_format(ARITH_F16), bits & UINT16_MAX);
}

static void put(const ArithMma *mma, uint64_t *const *d, unsigned row, unsigned j, double sum) {
  const Place at = place_of(mma->d, row, j);
  uint64_t *to = &d[at.reg][at.lane];
  if (mma->d == ARITH_F32) {
    *to = arith_f32_result((float)sum);
  } else {
    const uint64_t bits = arith_dot_half(sum);
    *to = at.shift ? *to | bits << at.shift : bits; /* the lower half comes first */
  }
}

/* A sum in f32 is truncated, a sum in f16 rounded to nearest: 92,160 sums of each type, dense and
 * sparse, equalled an H200's bit for bit. */
static DotRule rule_of(const ArithMma *mma) {
  const bool halves = mma->d == ARITH_F16;
  return (DotRule){.kept = DOT_KEPT, .fraction = halves ? 52 : 23, .least = halves ? -14 : -126};
}

typedef float Addends[ROWS][COLUMNS];
typedef double Sums[ROWS][COLUMNS];

static void sum_rows(const ArithMma *mma, const Operands *x, const uint64_t *e, Addends addend,
                     Sums sum) {
  const DotRule rule = rule_of(mma);
  const unsigned k = DOT_BYTES * 8 / arith_bits(factor_type(mma->a));
  DotColumns columns;
  if (!mma->sparse) all_columns(mma, x, &columns);
  for (unsigned row = 0; row < ROWS; row++) {
    DotRow of_a;
    Line line;
    memcpy(line, x->a[row], sizeof line);
    take_half(mma->a, x->half, line);
    if (mma->sparse) choose(mma, x, e, row, &columns);
    arith_dot_row(factor_type(mma->a), line, &of_a);
    arith_dot(&rule, k, COLUMNS, &of_a, &columns, addend[row], sum[row]);
  }
}

/* An H200 converts bytes to f16, two registers per register. It multiplies and sums the lower two
 * bytes of each register first, then the upper two with that rounded sum as the addend. C is added
 * last, in a separate addition. 36,700,160 sums of all pairs of formats, dense and sparse, with
 * subnormals, infinities and NaN, equalled an H200's bit for bit. */
static void sum_bytes(const ArithMma *mma, Operands *x, const uint64_t *e, Addends addend,
                      Sums sum) {
  const ArithFormat *half = arith_format(ARITH_F16);
  const bool single = mma->d == ARITH_F32;
  Addends before = {{0}};
  for (x->half = 0; x->half < 2; x->half++) {
    sum_rows(mma, x, e, before, sum);
    for (unsigned i = 0; i < ROWS * COLUMNS; i++) {
      const double s = sum[i / COLUMNS][i % COLUMNS];
      before[i / COLUMNS][i % COLUMNS] =
          (float)(single ? s : arith_decode(half, arith_dot_half(s)));
    }
  }
  for (unsigned i = 0; i < ROWS * COLUMNS; i++) {
    const float first = before[i / COLUMNS][i % COLUMNS], c = addend[i / COLUMNS][i % COLUMNS];
    sum[i / COLUMNS][i % COLUMNS] = single ? (double)(first + c) : (double)first + (double)c;
  }
}

/* D may be C: all of C is read first. */
void arith_mma_fused(const ArithMma *mma, uint64_t *const *d, const uint64_t *const *a,
                     const uint64_t *const *b, const uint64_t *const *c, const uint64_t *e) {
  Operands x = {.half = 0};
  Addends addend;
  Sums sum;
  gather(x.a, ROWS, mma->n_a, a);
  gather(x.b, COLUMNS, mma->n_b, b);
  for (unsigned row = 0; row < ROWS; row++)
    for (unsigned j = 0; j < COLUMNS; j++) addend[row][j] = addend_of(mma, c, row, j);
  if (is_bytes(mma))
    sum_bytes(mma, &x, e, addend, sum);
  else
    sum_rows(mma, &x, e, addend, sum);
  for (unsigned row = 0; row < ROWS; row++)
    for (unsigned j = 0; j < COLUMNS; j++) put(mma, d, row, j, sum[row][j]);
}
