/* SPDX-License-Identifier: MIT */
#include "emu/arith/arith_mma.h"

#include <math.h>

#include "emu/arith/arith_format.h"
#include "emu/arith/arith_mma_fused.h"
#include "emu/arith/arith_mma_parts.h"
#include "emu/arith/arith_mma_sparse.h"
#include "emu/arith/arith_mma_tile.h"
#include "emu/arith/arith_resolve.h"
#include "emu/arith/arith_row.h"
#include "emu/arith/lanes.h"

enum { MAX_M = 16, MAX_N = 8, MAX_K = 128, MAX_PER_REGISTER = 8 };

/* The ISA's fragment layouts follow one rule. A register holds p = 32 / bits consecutive elements
 * of k (one for tf32 and f64). Let g = lane / 4 and t = lane % 4. Register r of A holds row g, or
 * row g + 8 if m is 16 and r is odd, at k = p * t + 4 * p * (index of r among that row's
 * registers). Register r of B holds column g at k = p * t + 4 * p * r. Element i of C and D is in
 * row g + 8 * (i / 2), column 2 * t + i % 2. For a sparse A, k counts the stored elements. */
typedef double Elements[MAX_PER_REGISTER][LANES];

/* Converts numbers to doubles with the same fraction, scaled by the difference of the biases, which
 * is exact for subnormals, too. False if there is an infinity or a NaN. */
static bool decode_finite(const uint64_t *reg, const ArithFormat *format, unsigned count,
                          Elements out) {
  const unsigned to_sign = 64u - format->bits, tail = format->tail, up = 52u - format->fraction;
  const double scale = arith_f64((uint64_t)(2046 - format->bias) << 52);
  const uint64_t below = (1ull << (format->bits - 1u)) - 1, max = format->max;
  uint64_t beyond = 0; /* the top bit is set if some element is an infinity or a NaN */
  for (unsigned e = 0; e < count; e++) {
    const unsigned at = format->bits * e;
    double *to = out[e];
    for (unsigned lane = 0; lane < LANES; lane++) {
      const uint64_t bits = reg[lane] >> at, magnitude = (bits & below) >> tail;
      beyond |= max - magnitude;
      to[lane] = arith_f64(magnitude << up | (bits << to_sign & 1ull << 63)) * scale;
    }
  }
  return !(beyond >> 63);
}

static bool is_integer(unsigned type) {
  return type == ARITH_S32 || type == ARITH_S8 || type == ARITH_U8 || type == ARITH_S4 ||
         type == ARITH_U4;
}

static void decode_integers(const uint64_t *reg, unsigned type, Elements out) {
  const unsigned count = arith_mma_per_register(type), bits = arith_bits((ArithType)type);
  const bool is_signed = type != ARITH_U8 && type != ARITH_U4;
  for (unsigned e = 0; e < count; e++)
    for (unsigned lane = 0; lane < LANES; lane++) {
      const uint32_t top = (uint32_t)(reg[lane] >> (bits * e)) << (32 - bits);
      out[e][lane] =
          is_signed ? (double)((int32_t)top >> (32 - bits)) : (double)(top >> (32 - bits));
    }
}

/* Converts all elements of a register to doubles, which represent the values of every type exactly.
 * Dispatches on the type once per register, not per element. */
static void decode(const uint64_t *reg, unsigned type, Elements out) {
  if (is_integer(type)) {
    decode_integers(reg, type, out);
    return;
  }
  const ArithFormat *format = arith_format((ArithType)type);
  const unsigned count = arith_mma_per_register(type), width = format->bits;
  if (width < 64 && decode_finite(reg, format, count, out)) return;
  const uint64_t mask = width == 64 ? UINT64_MAX : (1ull << width) - 1;
  for (unsigned e = 0; e < count; e++)
    for (unsigned lane = 0; lane < LANES; lane++)
      out[e][lane] = arith_decode(format, reg[lane] >> (width * e) & mask);
}

/* A row of B, or of a product, as vectors that every x86-64 and arm64 processor has. */
typedef double Pair __attribute__((vector_size(2 * sizeof(double))));
enum { PAIRS = MAX_N / 2 };
typedef union {
  Pair pair[PAIRS];
  double at[MAX_N];
} Row;

typedef struct {
  double a[MAX_M][MAX_K];
  Row b[MAX_K];
} Operands;

static void gather_a(Operands *x, const ArithMma *mma, const uint64_t *const *a) {
  const unsigned p = arith_mma_per_register(mma->a), rows = mma->m / 8;
  Elements of;
  for (unsigned r = 0; r < mma->n_a; r++) {
    const unsigned row = 8 * (r % rows), k = 4 * p * (r / rows);
    decode(a[r], mma->a, of);
    for (unsigned e = 0; e < p; e++)
      for (unsigned lane = 0; lane < LANES; lane++)
        x->a[row + lane / 4][k + p * (lane % 4) + e] = of[e][lane];
  }
}

static void gather_b(Operands *x, const ArithMma *mma, const uint64_t *const *b) {
  const unsigned p = arith_mma_per_register(mma->b);
  Elements of;
  for (unsigned r = 0; r < mma->n_b; r++) {
    decode(b[r], mma->b, of);
    for (unsigned e = 0; e < p; e++)
      for (unsigned lane = 0; lane < LANES; lane++)
        x->b[p * (lane % 4) + e + 4 * p * r].at[lane / 4] = of[e][lane];
  }
}

/* Expands a sparse A: puts its stored elements at their positions along k. */
static void spread(Operands *x, const ArithMma *mma, const uint64_t *e) {
  for (unsigned row = 0; row < mma->m; row++) {
    double packed[MAX_K / 2];
    memcpy(packed, x->a[row], sizeof packed);
    memset(x->a[row], 0, sizeof x->a[row]);
    for (unsigned s = 0; s < mma->k / 2u; s++)
      x->a[row][arith_mma_position(mma, e, row, s)] = packed[s];
  }
}

/* Multiplies row i with all columns, summing over k in order. */
static void multiply_row(const ArithMma *mma, const Operands *x, unsigned i, Row *to) {
  Pair sum[PAIRS] = {{0}};
  for (unsigned k = 0; k < mma->k; k++)
    for (int q = 0; q < PAIRS; q++) sum[q] += x->a[i][k] * x->b[k].pair[q];
  for (int q = 0; q < PAIRS; q++) to->pair[q] = sum[q];
}

static double chain(const ArithMma *mma, const Operands *x, unsigned i, unsigned j, double c) {
  for (unsigned k = 0; k < mma->k; k++) {
    const double a = x->a[i][k], b = x->b[k].at[j];
    c = arith_first_nan(fma(a, b, c), b, c, a);
  }
  return c;
}

/* A sum of at most 32 products of bytes and an s32 is exact in double. */
static uint64_t to_s32(double sum, bool saturate) {
  if (saturate) sum = fmin(fmax(sum, INT32_MIN), INT32_MAX);
  return (uint32_t)(int64_t)sum;
}

/* Encodes one result of every lane. */
static void encode(const ArithMma *mma, const double value[LANES], uint64_t out[LANES]) {
  const ArithFormat *format = mma->d == ARITH_S32 ? NULL : arith_format((ArithType)mma->d);
  if (mma->d == ARITH_F32) {
    for (unsigned lane = 0; lane < LANES; lane++)
      out[lane] = value[lane] == value[lane] ? arith_f32_bits((float)value[lane]) : format->nan;
    return;
  }
  for (unsigned lane = 0; lane < LANES; lane++)
    out[lane] = !format               ? to_s32(value[lane], mma->satfinite != 0)
                : mma->d == ARITH_F64 ? arith_f64_bits(value[lane])
                                      : arith_encode(format, value[lane], ARITH_RN, false);
}

/* Element e of every lane's registers of D: row lane / 4 + 8 * (e / 2), column 2 * (lane % 4) + e
 * % 2. */
static void collect(const ArithMma *mma, const Operands *x, const Row *sum, unsigned e,
                    const double addend[LANES], double value[LANES]) {
  for (unsigned lane = 0; lane < LANES; lane++) {
    const unsigned i = lane / 4 + 8 * (e / 2), j = 2 * (lane % 4) + e % 2;
    value[lane] =
        mma->d == ARITH_F64 ? chain(mma, x, i, j, addend[lane]) : sum[i].at[j] + addend[lane];
  }
}

static void multiply(const ArithMma *mma, uint64_t *const *d, const uint64_t *const *a,
                     const uint64_t *const *b, const uint64_t *const *c, const uint64_t *e) {
  const unsigned cp = arith_mma_per_register(mma->c), dp = arith_mma_per_register(mma->d);
  const unsigned results = mma->m / 4u;
  Operands x;
  Row sum[MAX_M];
  Elements addend[4], value;
  uint64_t out[4][LANES];
  gather_a(&x, mma, a);
  gather_b(&x, mma, b);
  if (mma->sparse) spread(&x, mma, e);
  for (unsigned i = 0; i < mma->m && mma->d != ARITH_F64; i++) multiply_row(mma, &x, i, &sum[i]);
  for (unsigned r = 0; r < mma->n_c; r++) decode(c[r], mma->c, addend[r]);
  for (unsigned i = 0; i < results; i++) {
    collect(mma, &x, sum, i, addend[i / cp][i % cp], value[i]);
    encode(mma, value[i], out[i]);
  }
  for (unsigned r = 0; r < mma->n_d; r++)
    for (unsigned lane = 0; lane < LANES; lane++)
      d[r][lane] = dp == 1 ? out[r][lane] : out[2 * r][lane] | out[2 * r + 1][lane] << 16;
}

static ArithMmaTile *tile_of(const ArithMma *mma, unsigned vectors) {
#ifdef KGEN_ARITH_LEVELS
  if (vectors > 1) return arith_mma_tile_avx512(mma);
  if (vectors > 0) return arith_mma_tile_avx2(mma);
#endif
  (void)vectors;
  return arith_mma_tile(mma);
}

void arith_mma_for(const ArithMma *mma, unsigned vectors, uint64_t *const *d,
                   const uint64_t *const *a, const uint64_t *const *b, const uint64_t *const *c,
                   const uint64_t *e) {
  ArithMmaTile *tile = tile_of(mma, vectors);
  if (tile && tile(mma, d, a, b, c)) return;
  if (arith_mma_is_quad(mma))
    arith_mma_quads(mma, d, a, b, c);
  else if (mma->a == ARITH_B1)
    arith_mma_bits(mma, d, a, b, c);
  else if (arith_mma_is_fused(mma))
    arith_mma_fused(mma, d, a, b, c, e);
  else
    multiply(mma, d, a, b, c, e);
}

void arith_mma(const ArithMma *mma, uint64_t *const *d, const uint64_t *const *a,
               const uint64_t *const *b, const uint64_t *const *c, const uint64_t *e) {
  arith_mma_for(mma, arith_most_vectors(), d, a, b, c, e);
}

void arith_movmatrix(uint64_t *d, const uint64_t *a) {
  uint16_t matrix[8][8];
  for (unsigned lane = 0; lane < 32; lane++)
    for (unsigned half = 0; half < 2; half++) {
      const ArithCell cell = arith_matrix_cell(lane, half, false);
      matrix[cell.row][cell.col] = (uint16_t)(a[lane] >> (16 * half));
    }
  for (unsigned lane = 0; lane < 32; lane++) {
    const ArithCell low = arith_matrix_cell(lane, 0, true), high = arith_matrix_cell(lane, 1, true);
    d[lane] = (uint32_t)matrix[low.row][low.col] | (uint32_t)matrix[high.row][high.col] << 16;
  }
}
