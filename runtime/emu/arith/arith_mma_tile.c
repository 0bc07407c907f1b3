/* SPDX-License-Identifier: MIT */
/* Vectorized mma.sync for floats, integers and doubles. */
#include "emu/arith/arith_mma_tile.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "emu/arith/arith_tile.h"

enum { MAX_HALVES = 2, MAX_REGISTERS = 2, WIDE = LANES / 4 };

/* --- operands --- */

typedef struct {
  TileWords a[MAX_REGISTERS][2], b[MAX_REGISTERS];
} Registers;

/* If A has 8 rows, the other rows are zero. */
static void take_registers(const ArithMma *mma, const uint64_t *const *a, const uint64_t *const *b,
                           Registers *out) {
  const unsigned halves = mma->m / 8u;
  for (unsigned r = 0; r < mma->n_b; r++) {
    arith_tile_register(b[r], &out->b[r]);
    memset(out->a[r], 0, sizeof out->a[r]);
    for (unsigned half = 0; half < halves; half++)
      arith_tile_register(a[halves * r + half], &out->a[r][half]);
  }
}

typedef struct {
  TileRows rows;
  TileColumns columns;
} Operands;

static bool take_operands(const Registers *x, unsigned count, const TileElements *a,
                          const TileElements *b, Operands *out) {
  return arith_tile_rows(a, x->a, count, &out->rows) &&
         arith_tile_columns(b, x->b, count, &out->columns);
}

static bool take_all(const ArithMma *mma, const Registers *x, Operands *out) {
  const TileElements a = arith_tile_elements((ArithType)mma->a);
  const TileElements b = mma->a == mma->b ? a : arith_tile_elements((ArithType)mma->b);
  return take_operands(x, mma->n_b, &a, &b, out);
}

/* --- floats --- */

static DotRule rule_of(const ArithMma *mma) {
  const bool halves = mma->d == ARITH_F16;
  return (DotRule){.kept = DOT_KEPT, .fraction = halves ? 52 : 23, .least = halves ? -14 : -126};
}

static bool multiply_floats(const ArithMma *mma, uint64_t *const *d, const uint64_t *const *a,
                            const uint64_t *const *b, const uint64_t *const *c) {
  const DotRule rule = rule_of(mma);
  Registers registers;
  Operands x;
  TileFloats addend[TILE_PAIRS];
  TileWords sum[TILE_PAIRS];
  take_registers(mma, a, b, &registers);
  if (!take_all(mma, &registers, &x) || !arith_tile_take((ArithType)mma->c, c, addend) ||
      !arith_tile_sum(&rule, (ArithType)mma->d, &x.rows, &x.columns, addend, sum))
    return false;
  arith_tile_put((ArithType)mma->d, sum, d);
  return true;
}

/* --- 8-bit floats, as in arith_mma_fused.c --- */

/* Converts two elements of each register to fp16. */
static TileElements two_of(unsigned type, unsigned half) {
  TileElements x = arith_tile_elements((ArithType)type);
  x.first = (uint8_t)(2 * half);
  x.taken = 2;
  x.least = -14;
  return x;
}

/* Sets the addend of the next sum; false if it is infinite. */
static bool carry_on(unsigned type, const TileWords sum[TILE_PAIRS], TileFloats out[TILE_PAIRS]) {
  bool finite = true;
  for (unsigned i = 0; i < TILE_PAIRS; i++)
    for (unsigned lane = 0; lane < LANES; lane++) {
      const float x = type == ARITH_F16
                          ? (float)arith_decode(arith_format(ARITH_F16), sum[i].at[lane])
                          : arith_f32(sum[i].at[lane]);
      finite &= fabsf(x) <= FLT_MAX;
      out[i].at[lane] = x;
    }
  return finite;
}

/* Adds C last; false if a result in fp16 would be infinite or NaN. */
static bool add_last(unsigned type, const TileFloats *x, const TileFloats *c, TileWords *out) {
  double sum[LANES];
  bool finite = true;
  for (unsigned lane = 0; lane < LANES; lane++) {
    out->at[lane] = (uint32_t)arith_f32_result(x->at[lane] + c->at[lane]);
    sum[lane] = (double)x->at[lane] + (double)c->at[lane];
    finite &= fabs(sum[lane]) <= DBL_MAX;
  }
  if (type == ARITH_F16) arith_tile_halves(sum, out);
  return finite || type == ARITH_F32;
}

static bool multiply_bytes(const ArithMma *mma, uint64_t *const *d, const uint64_t *const *a,
                           const uint64_t *const *b, const uint64_t *const *c) {
  const DotRule rule = rule_of(mma);
  Registers registers;
  Operands x;
  TileFloats before[TILE_PAIRS] = {{{0}}}, addend[TILE_PAIRS];
  TileWords sum[TILE_PAIRS];
  take_registers(mma, a, b, &registers);
  for (unsigned half = 0; half < 2; half++) {
    const TileElements of_a = two_of(mma->a, half), of_b = two_of(mma->b, half);
    if (!take_operands(&registers, mma->n_b, &of_a, &of_b, &x) ||
        !arith_tile_sum(&rule, (ArithType)mma->d, &x.rows, &x.columns, before, sum) ||
        !carry_on(mma->d, sum, before))
      return false;
  }
  bool suits = arith_tile_take((ArithType)mma->c, c, addend);
  for (unsigned i = 0; i < TILE_PAIRS; i++)
    suits &= add_last(mma->d, &before[i], &addend[i], &sum[i]);
  if (suits) arith_tile_put((ArithType)mma->d, sum, d);
  return suits;
}

/* --- integers --- */

static bool multiply_integers(const ArithMma *mma, uint64_t *const *d, const uint64_t *const *a,
                              const uint64_t *const *b, const uint64_t *const *c) {
  Registers registers;
  Operands x;
  take_registers(mma, a, b, &registers);
  (void)take_all(mma, &registers, &x);
  arith_tile_add_exactly(&x.rows, &x.columns, mma->satfinite, c, d, mma->n_d);
  return true;
}

/* --- doubles: a chain of fma along k --- */

#ifdef __FMA__

/* A warp's doubles, in four vectors. */
typedef double Wide __attribute__((vector_size(WIDE * sizeof(double))));
typedef union {
  double at[LANES];
  Wide v[4];
} Doubles;

#define OF_FOUR_WIDE(X, T) __builtin_shufflevector(X, X, T, T, T, T, 4 + T, 4 + T, 4 + T, 4 + T)

static inline void chain(Wide *sum, const Wide *x, const Wide *y) {
#pragma omp simd
  for (unsigned i = 0; i < WIDE; i++) (*sum)[i] = fma((*x)[i], (*y)[i], (*sum)[i]);
}

#define CHAIN_PRODUCTS(T)                                                                          \
  do {                                                                                             \
    const Wide even = {                                                                            \
        b[T], b[8 + T], b[16 + T], b[24 + T], b[T], b[8 + T], b[16 + T], b[24 + T]};               \
    const Wide odd = {b[4 + T], b[12 + T], b[20 + T], b[28 + T],                                   \
                      b[4 + T], b[12 + T], b[20 + T], b[28 + T]};                                  \
    for (unsigned h = 0; h < halves; h++)                                                          \
      for (unsigned q = 0; q < 4; q++) {                                                           \
        const Wide own = OF_FOUR_WIDE(x.a[i * halves + h].v[q], T);                                \
        chain(&x.sum[2 * h].v[q], &own, &even);                                                    \
        chain(&x.sum[2 * h + 1].v[q], &own, &odd);                                                 \
      }                                                                                            \
  } while (0)

static void copy(const uint64_t *const *from, unsigned registers, Doubles *to) {
  for (unsigned i = 0; i < registers; i++) memcpy(to[i].at, from[i], sizeof to[i].at);
}

/* With several NaNs the scalar chain decides which one is propagated. */
static bool any_nan(const Doubles *x, unsigned count) {
  uint32_t nan = 0;
  for (unsigned i = 0; i < count; i++) {
#pragma omp simd reduction(| : nan)
    for (unsigned lane = 0; lane < LANES; lane++) nan |= x[i].at[lane] != x[i].at[lane];
  }
  return nan;
}

static bool multiply_doubles(const ArithMma *mma, uint64_t *const *d, const uint64_t *const *a,
                             const uint64_t *const *b_reg, const uint64_t *const *c) {
  struct {
    Doubles a[2 * MAX_HALVES * 2], b[4], sum[2 * MAX_HALVES];
  } x;
  const unsigned halves = mma->m / 8u;
  copy(a, mma->n_a, x.a);
  copy(b_reg, mma->n_b, x.b);
  copy(c, mma->n_c, x.sum);
  for (unsigned i = 0; i < mma->n_b; i++) {
    const double *b = x.b[i].at;
    CHAIN_PRODUCTS(0);
    CHAIN_PRODUCTS(1);
    CHAIN_PRODUCTS(2);
    CHAIN_PRODUCTS(3);
  }
  if (any_nan(x.sum, mma->n_d)) return false;
  for (unsigned r = 0; r < mma->n_d; r++) memcpy(d[r], x.sum[r].at, sizeof x.sum[r].at);
  return true;
}

#endif

/* --- dispatch --- */

ArithMmaTile *arith_mma_tile(const ArithMma *mma) {
  if (mma->sparse || mma->n != 8 || arith_mma_is_quad(mma) || mma->a == ARITH_B1) return NULL;
#ifdef __FMA__
  if (mma->d == ARITH_F64) return multiply_doubles;
#endif
  if (mma->d == ARITH_F64) return NULL;
  if (mma->d == ARITH_S32) return multiply_integers;
  return arith_bits((ArithType)mma->a) == 8 ? multiply_bytes : multiply_floats;
}
