/* SPDX-License-Identifier: MIT */
#include "emu/arith/arith_tile.h"

#include "emu/arith/arith_mma_opcode.h"
#include "emu/arith/arith_row.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

/* ZERO_EXPONENT: the exponent of a zero, below every sum of exponents. TAME, LEAST_ALIGNED: the
 * range of exponents in which products, and products times the power of two that aligns them, are
 * normal floats. */
enum { ZERO_EXPONENT = -8192, TAME = 60, LEAST_ALIGNED = -100, BIAS = 127, FRACTION = 23 };

#define ALWAYS static inline __attribute__((always_inline))

/* --- 4x4 transposition --- */

#define OF_FOURS(X, Y, A, B, C, D)                                                                 \
  __builtin_shufflevector(X, Y, A, B, C, D, 4 + A, 4 + B, 4 + C, 4 + D, 8 + A, 8 + B, 8 + C,       \
                          8 + D, 12 + A, 12 + B, 12 + C, 12 + D)

/* Transposes each group of four lanes: lane t of vector i becomes lane i of vector t. */
ALWAYS void turn(TileWords x[2]) {
  enum { Y = TILE_WIDTH };
  const TileWhole a = x[0].v[0], b = x[0].v[1], c = x[1].v[0], d = x[1].v[1];
  const TileWhole ab = OF_FOURS(a, b, 0, Y, 1, Y + 1), cd = OF_FOURS(c, d, 0, Y, 1, Y + 1);
  const TileWhole ef = OF_FOURS(a, b, 2, Y + 2, 3, Y + 3), gh = OF_FOURS(c, d, 2, Y + 2, 3, Y + 3);
  x[0].v[0] = OF_FOURS(ab, cd, 0, 1, Y, Y + 1);
  x[0].v[1] = OF_FOURS(ab, cd, 2, 3, Y + 2, Y + 3);
  x[1].v[0] = OF_FOURS(ef, gh, 0, 1, Y, Y + 1);
  x[1].v[1] = OF_FOURS(ef, gh, 2, 3, Y + 2, Y + 3);
}

/* --- elements --- */

TileElements arith_tile_elements(ArithType type) {
  const ArithFormat *format = arith_format(type);
  return (TileElements){.format = format,
                        .bits = (uint8_t)arith_bits(type),
                        .is_signed = type == ARITH_S8 || type == ARITH_S4,
                        .taken = (uint8_t)arith_mma_per_register(type),
                        .least = (int16_t)(format ? 1 - format->bias : 0)};
}

/* Moves the fraction to float's position along with the format's exponent, then multiplies by the
 * power of two between the biases. This is exact for subnormals, too. */
ALWAYS void take_floats(const ArithFormat *format, const TileWords *reg, unsigned at,
                        TileWords *beyond, TileFloats *out) {
  const unsigned sign_at = format->bits - 1u, up = FRACTION - format->fraction, tail = format->tail;
  const uint32_t below = (1u << sign_at) - 1, max = (uint32_t)format->max;
  const float scale = arith_f32((uint64_t)(2 * BIAS - format->bias) << FRACTION);
#pragma omp simd
  for (unsigned lane = 0; lane < LANES; lane++) {
    const uint32_t bits = reg->at[lane] >> at, magnitude = (bits & below) >> tail;
    beyond->at[lane] |= max - magnitude;
    out->at[lane] = arith_f32(magnitude << up | (bits >> sign_at & 1) << 31) * scale;
  }
}

ALWAYS void take_integers(const TileElements *x, const TileWords *reg, unsigned at,
                          TileFloats *out) {
  const unsigned unused = 32u - x->bits;
  const bool is_signed = x->is_signed;
#pragma omp simd
  for (unsigned lane = 0; lane < LANES; lane++) {
    const uint32_t top = reg->at[lane] >> at << unused;
    out->at[lane] = (float)(is_signed ? (int32_t)top >> unused : (int32_t)(top >> unused));
  }
}

/* Element `e` of a register. */
ALWAYS void take(const TileElements *x, const TileWords *reg, unsigned e, TileWords *beyond,
                 TileFloats *out) {
  const unsigned at = x->bits * (x->first + e);
  if (x->format)
    take_floats(x->format, reg, at, beyond, out);
  else
    take_integers(x, reg, at, out);
}

ALWAYS uint32_t magnitude_of(float x) { return (uint32_t)arith_f32_bits(x) & 0x7fffffff; }

ALWAYS int32_t exponent_of(uint32_t magnitude, int least) {
  const int32_t exponent = (int32_t)(magnitude >> FRACTION) - BIAS;
  const int32_t bounded = exponent > least ? exponent : least;
  return magnitude ? bounded : ZERO_EXPONENT;
}

/* The top bit of the result is set unless the number is tame. */
ALWAYS uint32_t wildness(uint32_t magnitude) {
  const uint32_t first = (uint32_t)(BIAS - TAME) << FRACTION;
  const uint32_t end = (uint32_t)(BIAS + TAME + 1) << FRACTION;
  return (magnitude ? magnitude - first : 0) | (end - 1 - magnitude);
}

/* The exponents of two elements of each lane. */
ALWAYS void find_exponents(const TileFloats *x, const TileFloats *y, int least, TileWords *beyond,
                           TileWords *out) {
#pragma omp simd
  for (unsigned lane = 0; lane < LANES; lane++) {
    const uint32_t of_x = magnitude_of(x->at[lane]), of_y = magnitude_of(y->at[lane]);
    beyond->at[lane] |= wildness(of_x) | wildness(of_y);
    out->at[lane] = ((uint32_t)exponent_of(of_x, least) & UINT16_MAX) |
                    (uint32_t)exponent_of(of_y, least) << 16;
  }
}

/* True if no lane's top bit is set. */
ALWAYS bool none_beyond(const TileWords *x) {
  uint32_t all = 0;
#pragma omp simd reduction(| : all)
  for (unsigned lane = 0; lane < LANES; lane++) all |= x->at[lane];
  return !(all >> 31);
}

static const TileFloats zeros;

bool arith_tile_rows(const TileElements *x, const TileWords (*reg)[2], unsigned count,
                     TileRows *out) {
  const unsigned depth = count * x->taken;
  TileWords beyond = {{0}};
  out->depth = depth;
  for (unsigned r = 0; r < count; r++) {
    TileWords word[2] = {reg[r][0], reg[r][1]};
    turn(word);
    for (unsigned i = 0; i < 2u * x->taken; i++)
      take(x, &word[i % 2], i / 2, &beyond, &out->value[2 * r * x->taken + i]);
  }
  for (unsigned i = 0; i < 2 * depth && x->format; i += i % 2 ? 3 : 1) {
    const TileFloats *low = &out->value[i], *high = i + 2 < 2 * depth ? low + 2 : &zeros;
    find_exponents(low, high, x->least, &beyond, &out->exponent[i / 4 * 2 + i % 2]);
  }
  return none_beyond(&beyond);
}

bool arith_tile_columns(const TileElements *x, const TileWords *reg, unsigned count,
                        TileColumns *out) {
  const unsigned depth = count * x->taken;
  TileWords beyond = {{0}};
  for (unsigned q = 0; q < depth; q++)
    take(x, &reg[q / x->taken], q % x->taken, &beyond, &out->value[q]);
  for (unsigned q = 0; q < depth && x->format; q += 2) {
    const TileFloats *low = &out->value[q], *high = q + 1 < depth ? low + 1 : &zeros;
    find_exponents(low, high, x->least, &beyond, &out->exponent[q / 2]);
  }
  return none_beyond(&beyond);
}

/* --- C and D --- */

static void widen(const TileWords *word, uint64_t *reg) {
#pragma omp simd
  for (unsigned lane = 0; lane < LANES; lane++) reg[lane] = word->at[lane];
}

static bool take_halves(const uint64_t *const *c, TileFloats out[TILE_PAIRS]) {
  const ArithFormat *format = arith_format(ARITH_F16);
  TileWords word[2];
  TileFloats column[2];
  TileWords beyond = {{0}};
  for (unsigned r = 0; r < 2; r++) arith_tile_register(c[r], &word[r]);
  turn(word);
  for (unsigned i = 0; i < TILE_PAIRS; i++) {
    const unsigned half = i % 2, two = i / 2;
    take_floats(format, &word[two], 16 * half, &beyond, &column[half]);
    out[2 * two].v[half] = column[half].v[0];
    out[2 * two + 1].v[half] = column[half].v[1];
  }
  return none_beyond(&beyond);
}

bool arith_tile_take(ArithType type, const uint64_t *const *c, TileFloats out[TILE_PAIRS]) {
  if (type == ARITH_F16) return take_halves(c, out);
  for (unsigned odd = 0; odd < 2; odd++) {
    TileWords word[2];
    for (unsigned r = 0; r < 2; r++) arith_tile_register(c[2 * r + odd], &word[r]);
    turn(word);
    for (unsigned i = 0; i < TILE_PAIRS; i++) out[i].v[odd] = (TileVector)word[i / 2].v[i % 2];
  }
  return true;
}

static void put_halves(const TileWords sum[TILE_PAIRS], uint64_t *const *d) {
  TileWords word[2];
  for (unsigned i = 0; i < TILE_PAIRS; i++) word[i / 2].v[i % 2] = sum[i].v[0] | sum[i].v[1] << 16;
  turn(word);
  for (unsigned r = 0; r < 2; r++) widen(&word[r], d[r]);
}

void arith_tile_put(ArithType type, const TileWords sum[TILE_PAIRS], uint64_t *const *d) {
  if (type == ARITH_F16) {
    put_halves(sum, d);
    return;
  }
  for (unsigned odd = 0; odd < 2; odd++) {
    TileWords word[2];
    for (unsigned i = 0; i < TILE_PAIRS; i++) word[i / 2].v[i % 2] = sum[i].v[odd];
    turn(word);
    for (unsigned r = 0; r < 2; r++) widen(&word[r], d[2 * r + odd]);
  }
}

/* --- the largest exponents --- */

/* Exponents have 16 bits each. */
ALWAYS void raise(TileWhole *x, const TileWhole *a, uint32_t b) {
  typedef int16_t Halves __attribute__((vector_size(sizeof(TileWhole))));
  const TileWhole all = (TileWhole){0} + (int32_t)b;
  const Halves sum = (Halves)*a + (Halves)all;
#ifdef __AVX512BW__
  *x = (TileWhole)_mm512_max_epi16((__m512i)sum, (__m512i)*x);
#else
  const Halves more = sum > (Halves)*x;
  *x = (TileWhole)((sum & more) | ((Halves)*x & ~more));
#endif
}

/* The largest exponents of the products of four columns, for even and odd elements. */
static void raise_four(const TileRows *a, const TileColumns *b, unsigned four, TileWords *out) {
  TileWhole x0 = out[0].v[0], x1 = out[0].v[1], x2 = out[1].v[0], x3 = out[1].v[1];
  for (unsigned q = 0; q < a->depth; q += 2)
    for (unsigned t = 0; t < 4; t++) {
      const TileWhole *own = &a->exponent[q + t / 2].v[t % 2];
      const uint32_t *other = &b->exponent[q / 2].at[TILE_WIDTH * four + t];
      raise(&x0, own, other[0]);
      raise(&x1, own, other[4]);
      raise(&x2, own, other[8]);
      raise(&x3, own, other[12]);
    }
  out[0].v[0] = x0, out[0].v[1] = x1, out[1].v[0] = x2, out[1].v[1] = x3;
}

/* Computes the powers of two that align the products. If all products are 0, any value will do. */
ALWAYS void align(const DotRule *rule, const TileWords *largest, const TileFloats *c,
                  TileWords *beyond, TileFloats *scale) {
  const int least = rule->least, kept = rule->kept;
#pragma omp simd
  for (unsigned lane = 0; lane < LANES; lane++) {
    const uint32_t addend = magnitude_of(c->at[lane]), both = largest->at[lane];
    const int32_t even = (int32_t)(both << 16) >> 16, odd = (int32_t)both >> 16;
    const int32_t own = exponent_of(addend, least), product = even > odd ? even : odd;
    const int32_t most = own > product ? own : product;
    const int32_t aligned = most < LEAST_ALIGNED ? LEAST_ALIGNED : most;
    const uint32_t small = most > ZERO_EXPONENT / 2 ? (uint32_t)(most - LEAST_ALIGNED) : 0;
    beyond->at[lane] |= small | ((255u << FRACTION) - 1 - addend);
    scale->at[lane] = arith_f32((uint64_t)(kept - aligned + BIAS) << FRACTION);
  }
}

/* --- sums --- */

/* Aligned products are summed as integers. 16 of them, each below 2^27, fit 32 bits, since 11 bits
 * times 11 bits are below 2^22 - 2^11. */
static void sum_four(const TileRows *a, const TileColumns *b, unsigned four,
                     const TileFloats scale[2], TileWords out[2]) {
  const TileVector s0 = scale[0].v[0], s1 = scale[0].v[1], s2 = scale[1].v[0], s3 = scale[1].v[1];
  TileWhole x0 = {0}, x1 = {0}, x2 = {0}, x3 = {0};
  for (unsigned q = 0; q < a->depth; q++)
    for (unsigned t = 0; t < 4; t++) {
      const TileVector own = a->value[2 * q + t / 2].v[t % 2];
      const float *other = &b->value[q].at[TILE_WIDTH * four + t];
      x0 += __builtin_convertvector(own * other[0] * s0, TileWhole);
      x1 += __builtin_convertvector(own * other[4] * s1, TileWhole);
      x2 += __builtin_convertvector(own * other[8] * s2, TileWhole);
      x3 += __builtin_convertvector(own * other[12] * s3, TileWhole);
    }
  out[0].v[0] = x0, out[0].v[1] = x1, out[1].v[0] = x2, out[1].v[1] = x3;
}

static void sum_four_exactly(const TileRows *a, const TileColumns *b, unsigned four,
                             TileFloats out[2]) {
  TileVector x0 = {0}, x1 = {0}, x2 = {0}, x3 = {0};
  for (unsigned q = 0; q < a->depth; q++)
    for (unsigned t = 0; t < 4; t++) {
      const TileVector own = a->value[2 * q + t / 2].v[t % 2];
      const float *other = &b->value[q].at[TILE_WIDTH * four + t];
      x0 += own * other[0];
      x1 += own * other[4];
      x2 += own * other[8];
      x3 += own * other[12];
    }
  out[0].v[0] = x0, out[0].v[1] = x1, out[1].v[0] = x2, out[1].v[1] = x3;
}

static void add_integers(const uint64_t *sum, bool saturates, const uint64_t *c, uint64_t *d) {
#pragma omp simd
  for (unsigned lane = 0; lane < LANES; lane++) {
    const uint32_t x = (uint32_t)sum[lane], y = (uint32_t)c[lane], wrapped = x + y;
    const bool over = (x ^ wrapped) & (y ^ wrapped) & 1u << 31;
    const uint32_t bound = (uint32_t)INT32_MAX + (y >> 31);
    d[lane] = saturates && over ? bound : wrapped;
  }
}

/* A sum of at most 64 products of bytes is exact as a float. */
void arith_tile_add_exactly(const TileRows *a, const TileColumns *b, bool saturates,
                            const uint64_t *const *c, uint64_t *const *d, unsigned registers) {
  TileFloats product[TILE_PAIRS];
  TileWords whole[TILE_PAIRS];
  uint64_t sum[4][LANES], *const to[] = {sum[0], sum[1], sum[2], sum[3]};
  for (unsigned four = 0; four < 2; four++) sum_four_exactly(a, b, four, &product[2 * four]);
  for (unsigned i = 0; i < TILE_PAIRS; i++)
    for (unsigned k = 0; k < 2; k++)
      whole[i].v[k] = __builtin_convertvector(product[i].v[k], TileWhole);
  arith_tile_put(ARITH_S32, whole, to);
  for (unsigned r = 0; r < registers; r++) add_integers(sum[r], saturates, c[r], d[r]);
}

/* The addend, aligned as the products are, plus their sum, scaled back. */
ALWAYS double whole_sum(uint32_t sum, float c, float scale) {
  const uint64_t field = 1023 + BIAS - (arith_f32_bits(scale) >> FRACTION);
  const double whole = (double)(int32_t)sum + (double)(int32_t)(c * scale);
  return whole * arith_f64(field << 52);
}

static void finish_floats(const DotRule *rule, const TileWords *sum, const TileFloats *c,
                          const TileFloats *scale, TileWords *out) {
  const uint64_t keep = ~((1ull << (52u - rule->fraction)) - 1);
#pragma omp simd
  for (unsigned lane = 0; lane < LANES; lane++) {
    const double all = whole_sum(sum->at[lane], c->at[lane], scale->at[lane]);
    out->at[lane] = (uint32_t)arith_f32_bits((float)arith_f64(arith_f64_bits(all) & keep));
  }
}

/* Rounds to f16: adding and subtracting 1.5 * 2^52 times f16's last place leaves no lower bit.
 * Infinity is 2^16. */
void arith_tile_halves(const double sum[LANES], TileWords *out) {
  enum { LEAST_NORMAL = 1023 - 14, TO_PLACE = 42, INFINITE = (BIAS + 16) << FRACTION };
  const float to_half = arith_power_of_two(15 - BIAS);
#pragma omp simd
  for (unsigned lane = 0; lane < LANES; lane++) {
    const uint64_t field = arith_f64_bits(sum[lane]) >> 52 & 2047;
    const uint64_t of_half = field > LEAST_NORMAL ? field : LEAST_NORMAL;
    const double place = arith_f64((of_half + TO_PLACE) << 52) * 1.5;
    const double rounded = sum[lane] + place - place;
    const uint32_t bits = (uint32_t)arith_f32_bits((float)rounded), size = bits & INT32_MAX;
    const float bounded = arith_f32(size < INFINITE ? size : INFINITE);
    const uint32_t half = (uint32_t)arith_f32_bits(bounded * to_half) >> 13;
    out->at[lane] = half ? half | (bits >> 31) << 15 : 0;
  }
}

static void finish_halves(const TileWords *sum, const TileFloats *c, const TileFloats *scale,
                          TileWords *out) {
  double all[LANES];
#pragma omp simd
  for (unsigned lane = 0; lane < LANES; lane++)
    all[lane] = whole_sum(sum->at[lane], c->at[lane], scale->at[lane]);
  arith_tile_halves(all, out);
}

bool arith_tile_sum(const DotRule *rule, ArithType type, const TileRows *a, const TileColumns *b,
                    const TileFloats c[TILE_PAIRS], TileWords out[TILE_PAIRS]) {
  const int32_t none = (int32_t)((uint32_t)ZERO_EXPONENT << 16 | (uint16_t)ZERO_EXPONENT);
  TileWords largest[TILE_PAIRS], sum[TILE_PAIRS];
  TileFloats scale[TILE_PAIRS];
  TileWords beyond = {{0}};
  for (unsigned i = 0; i < TILE_PAIRS; i++)
    for (unsigned k = 0; k < 2; k++) largest[i].v[k] = (TileWhole){0} + none;
  for (unsigned four = 0; four < 2; four++) raise_four(a, b, four, &largest[2 * four]);
  for (unsigned i = 0; i < TILE_PAIRS; i++) align(rule, &largest[i], &c[i], &beyond, &scale[i]);
  if (!none_beyond(&beyond)) return false;
  for (unsigned four = 0; four < 2; four++) sum_four(a, b, four, &scale[2 * four], &sum[2 * four]);
  for (unsigned i = 0; i < TILE_PAIRS; i++)
    if (type == ARITH_F16)
      finish_halves(&sum[i], &c[i], &scale[i], &out[i]);
    else
      finish_floats(rule, &sum[i], &c[i], &scale[i], &out[i]);
  return true;
}
