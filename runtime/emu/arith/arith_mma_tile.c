/*
 * Products of tiles in the order in which registers hold them: of a lane 4 * g + t, register r of C
 * and D is row g + 8 * (r / 2), column 2 * t + r % 2 (arith_mma.c has the rule of all fragments).
 * For each k a lane needs A from a lane of its own four, and B from one of four lanes of the warp,
 * the same for every g.
 */
#include "emu/arith/arith_mma_tile.h"

#include <math.h>

#include "emu/arith/arith_dot.h"
#include "emu/arith/lanes.h"

enum { MAX_DEPTH = 16, MAX_HALVES = 2, WIDTH = LANES / 2, WIDE = LANES / 4 };

/* Halves of a warp's floats, and quarters of its doubles. */
typedef float Vector __attribute__((vector_size(WIDTH * sizeof(float))));
typedef double Wide __attribute__((vector_size(WIDE * sizeof(double))));
typedef union {
  float at[LANES];
  Vector v[2];
} Floats;
typedef union {
  double at[LANES];
  Wide v[4];
} Doubles;

/* Lane t of each four, in all four. */
#define OF_FOUR(X, T)                                                                              \
  __builtin_shufflevector(X, X, T, T, T, T, 4 + T, 4 + T, 4 + T, 4 + T, 8 + T, 8 + T, 8 + T,       \
                          8 + T, 12 + T, 12 + T, 12 + T, 12 + T)
/* In each four the lanes `FIRST`, 8, 16 and 24 after it. */
#define EVERY_EIGHTH(X, Y, FIRST)                                                                  \
  __builtin_shufflevector(X, Y, FIRST, 8 + FIRST, 16 + FIRST, 24 + FIRST, FIRST, 8 + FIRST,        \
                          16 + FIRST, 24 + FIRST, FIRST, 8 + FIRST, 16 + FIRST, 24 + FIRST, FIRST, \
                          8 + FIRST, 16 + FIRST, 24 + FIRST)

/* --- elements --- */

/* Elements `e` of a register; false where one is an infinity or a NaN. */
static bool take_floats(const uint64_t *reg, const ArithFormat *format, unsigned e, Floats *out) {
  const unsigned sign_at = format->bits - 1u, up = 23u - format->fraction, tail = format->tail;
  const uint32_t below = (1u << sign_at) - 1, max = (uint32_t)format->max;
  const unsigned at = format->bits * e;
  const float scale = arith_f32((uint64_t)(254 - format->bias) << 23);
  uint32_t beyond = 0;
#pragma omp simd reduction(| : beyond)
  for (unsigned lane = 0; lane < LANES; lane++) {
    const uint32_t bits = (uint32_t)(reg[lane] >> at), magnitude = (bits & below) >> tail;
    beyond |= magnitude > max;
    out->at[lane] = arith_f32(magnitude << up | (bits >> sign_at & 1) << 31) * scale;
  }
  return !beyond;
}

static void take_integers(const uint64_t *reg, unsigned type, unsigned e, Floats *out) {
  const unsigned bits = arith_bits((ArithType)type), at = bits * e, unused = 32 - bits;
  const bool is_signed = type == ARITH_S8 || type == ARITH_S4;
#pragma omp simd
  for (unsigned lane = 0; lane < LANES; lane++) {
    const uint32_t top = (uint32_t)(reg[lane] >> at) << unused;
    out->at[lane] = (float)(is_signed ? (int32_t)top >> unused : (int32_t)(top >> unused));
  }
}

/* All elements of `registers`, those of a register one after the other. */
static bool take(const uint64_t *const *reg, unsigned registers, unsigned type, Floats *out) {
  const unsigned per = arith_mma_per_register(type);
  const ArithFormat *format = arith_format((ArithType)type);
  for (unsigned i = 0; i < registers * per; i++)
    if (!format)
      take_integers(reg[i / per], type, i % per, &out[i]);
    else if (!take_floats(reg[i / per], format, i % per, &out[i]))
      return false;
  return true;
}

/* --- whether sums are exact --- */

/* All numbers are below 2^top, and multiples of 2^low. */
typedef struct {
  int top, low;
} Span;

static int exponent_of(float x) { return (int)(arith_f32_bits(x) >> 23 & 255) - 127; }

static float largest_of(const Floats *x, unsigned count) {
  float most = 0;
  for (unsigned i = 0; i < count; i++) {
#pragma omp simd reduction(max : most)
    for (unsigned lane = 0; lane < LANES; lane++) {
      const float magnitude = arith_f32(arith_f32_bits(x[i].at[lane]) & 0x7fffffff);
      most = magnitude > most ? magnitude : most;
    }
  }
  return most;
}

/* False where they are too far apart to be looked at so. */
static bool span_of(const Floats *x, unsigned count, Span *out) {
  enum { BITS = 23, TAME = 60 };
  const float most = largest_of(x, count);
  const int top = most > 0 ? exponent_of(most) + 1 : 0;
  if (top > TAME || top < -TAME || most > 1e30F) return false;
  const float scale = arith_power_of_two(BITS - top);
  int32_t all = 0, rest = 0;
  for (unsigned i = 0; i < count; i++) {
#pragma omp simd reduction(| : all, rest)
    for (unsigned lane = 0; lane < LANES; lane++) {
      const float scaled = x[i].at[lane] * scale;
      const int32_t whole = (int32_t)scaled;
      all |= whole;
      rest |= (float)whole != scaled;
    }
  }
  *out = (Span){top, all ? top - BITS + __builtin_ctz((uint32_t)all) : top};
  return !rest;
}

/* What is known of all products of two operands: exponents are at most `largest`. */
typedef struct {
  int largest, low;
} Products;

/* Whether sums of `depth` products are floats, whatever their order. */
static bool are_exact(Span a, Span b, unsigned depth, Products *out) {
  enum { FRACTION = 24, LEAST = -100 };
  const int top = a.top + b.top + 32 - __builtin_clz(depth);
  *out = (Products){a.top + b.top - 2, a.low + b.low};
  return top - out->low <= FRACTION && out->low >= LEAST && out->largest - DOT_KEPT >= LEAST;
}

/* Whether nothing is cut off before the sum is, which happens DOT_KEPT bits below the largest
 * exponent: neither of products because of an addend, nor of addends because of a product. */
static bool suits_addends(const Floats *c, unsigned count, Products p) {
  enum { FRACTION = 1 << 23, TAME = 60 };
  const float most = largest_of(c, count);
  if (most > arith_power_of_two(TAME) || p.largest - DOT_KEPT < -TAME) return false;
  const int largest = most > 0 ? exponent_of(most) : -TAME;
  if ((largest > p.largest ? largest : p.largest) - DOT_KEPT > p.low) return false;
  const float scale = arith_power_of_two(DOT_KEPT - p.largest);
  int rest = 0;
  for (unsigned i = 0; i < count; i++) {
#pragma omp simd reduction(| : rest)
    for (unsigned lane = 0; lane < LANES; lane++) {
      const float scaled = arith_f32(arith_f32_bits(c[i].at[lane]) & 0x7fffffff) * scale;
      const float small = scaled < (float)FRACTION ? scaled : 0; /* others are whole */
      rest |= (float)(int32_t)small != small;
    }
  }
  return !rest;
}

/* --- floats and integers --- */

typedef struct {
  Floats a[MAX_HALVES * MAX_DEPTH], b[MAX_DEPTH], sum[2 * MAX_HALVES];
} Product;

/* The products of one lane of each four in A, register `i` of A's upper half, with B. */
#define ADD_PRODUCTS(T)                                                                            \
  do {                                                                                             \
    const Vector even = EVERY_EIGHTH(b->v[0], b->v[1], T);                                         \
    const Vector odd = EVERY_EIGHTH(b->v[0], b->v[1], 4 + T);                                      \
    for (unsigned h = 0; h < halves; h++)                                                          \
      for (unsigned q = 0; q < 2; q++) {                                                           \
        const Vector own = OF_FOUR(a[h * per].v[q], T);                                            \
        x->sum[2 * h].v[q] += own * even;                                                          \
        x->sum[2 * h + 1].v[q] += own * odd;                                                       \
      }                                                                                            \
  } while (0)

static inline __attribute__((always_inline)) void add_products_of(Product *x, unsigned halves,
                                                                  unsigned depth, unsigned per) {
  for (unsigned i = 0; i < depth; i++) {
    const Floats *b = &x->b[i], *a = &x->a[i / per * per * halves + i % per];
    ADD_PRODUCTS(0);
    ADD_PRODUCTS(1);
    ADD_PRODUCTS(2);
    ADD_PRODUCTS(3);
  }
}

static void add_products(const ArithMma *mma, Product *x) {
  const unsigned per = arith_mma_per_register(mma->b), depth = mma->n_b * per;
  memset(x->sum, 0, sizeof x->sum);
  if (mma->m > 8)
    add_products_of(x, 2, depth, per);
  else
    add_products_of(x, 1, depth, per);
}

/* Truncated to a float's fraction; a sum of zero is +0. */
static void put_floats(const Floats *sum, const Floats *c, uint64_t *d) {
  const uint64_t keep = ~((1ull << 29) - 1);
#pragma omp simd
  for (unsigned lane = 0; lane < LANES; lane++) {
    const double all = (double)sum->at[lane] + (double)c->at[lane] + 0.0;
    d[lane] = arith_f32_bits((float)arith_f64(arith_f64_bits(all) & keep));
  }
}

static bool multiply_floats(const ArithMma *mma, uint64_t *const *d, const uint64_t *const *a,
                            const uint64_t *const *b, const uint64_t *const *c) {
  const unsigned of_a = mma->n_a * arith_mma_per_register(mma->a);
  const unsigned of_b = mma->n_b * arith_mma_per_register(mma->b);
  Product x;
  Floats addend[2 * MAX_HALVES];
  Span in_a, in_b;
  Products products;
  if (!take(a, mma->n_a, mma->a, x.a) || !span_of(x.a, of_a, &in_a)) return false;
  if (!take(b, mma->n_b, mma->b, x.b) || !span_of(x.b, of_b, &in_b)) return false;
  if (!are_exact(in_a, in_b, mma->k, &products)) return false;
  if (!take(c, mma->n_c, mma->c, addend) || !suits_addends(addend, mma->n_c, products))
    return false;
  add_products(mma, &x);
  for (unsigned r = 0; r < mma->n_d; r++) put_floats(&x.sum[r], &addend[r], d[r]);
  return true;
}

static void put_integers(const ArithMma *mma, const Floats *sum, const uint64_t *c, uint64_t *d) {
  const bool saturates = mma->satfinite;
#pragma omp simd
  for (unsigned lane = 0; lane < LANES; lane++) {
    const uint32_t x = (uint32_t)(int32_t)sum->at[lane], y = (uint32_t)c[lane], wrapped = x + y;
    const bool over = (x ^ wrapped) & (y ^ wrapped) & 1u << 31;
    const uint32_t bound = (uint32_t)INT32_MAX + (y >> 31);
    d[lane] = saturates && over ? bound : wrapped;
  }
}

/* A sum of at most 64 products of bytes is a float. */
static bool multiply_integers(const ArithMma *mma, uint64_t *const *d, const uint64_t *const *a,
                              const uint64_t *const *b, const uint64_t *const *c) {
  Product x;
  (void)take(a, mma->n_a, mma->a, x.a);
  (void)take(b, mma->n_b, mma->b, x.b);
  add_products(mma, &x);
  for (unsigned r = 0; r < mma->n_d; r++) put_integers(mma, &x.sum[r], c[r], d[r]);
  return true;
}

/* --- doubles: a chain of fused products along k --- */

#ifdef __FMA__

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

/* Which of several NaNs comes through is left to the plain chain. */
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

/* --- which --- */

ArithMmaTile *arith_mma_tile(const ArithMma *mma) {
  if (mma->sparse || mma->n != 8 || arith_mma_is_quad(mma) || mma->a == ARITH_B1) return NULL;
#ifdef __FMA__
  if (mma->d == ARITH_F64) return multiply_doubles;
#endif
  if (mma->d == ARITH_S32) return multiply_integers;
  const bool halves = mma->a == ARITH_F16 || mma->a == ARITH_BF16 || mma->a == ARITH_TF32;
  return halves && mma->d == ARITH_F32 && mma->c == ARITH_F32 ? multiply_floats : NULL;
}
