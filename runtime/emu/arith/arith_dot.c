/* SPDX-License-Identifier: MIT */
#include "emu/arith/arith_dot.h"

#include <math.h>

/* ZERO_EXPONENT: the exponent of a zero, below every sum of exponents. TAME, LEAST_ALIGNED: the
 * range of exponents in which products, and products times the power of two that aligns them, are
 * normal floats. */
enum { ZERO_EXPONENT = -8192, TAME = 60, LEAST_ALIGNED = -100, BLOCK = 2 * DOT_WIDTH };

/* --- elements --- */

static unsigned bytes_of(ArithType type) { return arith_bits(type) / 8; }

/* The bits of the elements, one per word. */
static void spread(const uint8_t *bytes, unsigned size, uint32_t word[DOT_MAX_K]) {
  uint16_t half[DOT_BYTES / 2];
  memcpy(size == 4 ? (void *)word : (void *)half, bytes, DOT_BYTES);
  for (unsigned i = 0; size == 2 && i < DOT_BYTES / 2; i++) word[i] = half[i];
  for (unsigned i = 0; size == 1 && i < DOT_BYTES; i++) word[i] = bytes[i];
}

/* Moves the fraction to float's position along with the format's exponent, then multiplies by the
 * power of two between the biases. This is exact for subnormals, too. */
static void decode_floats(const ArithFormat *format, unsigned k, const uint32_t *word,
                          DotRow *row) {
  const uint32_t sign_at = format->bits - 1u, below = (1u << sign_at) - 1, tail = format->tail;
  const uint32_t max = (uint32_t)format->max, fraction = format->fraction, up = 23 - fraction;
  const int bias = format->bias;
  const float scale = arith_power_of_two(127 - bias);
  int wild = 0;
  for (unsigned i = 0; i < k; i++) {
    const uint32_t magnitude = (word[i] & below) >> tail, sign = word[i] >> sign_at << 31;
    const int field = (int)(magnitude >> fraction), exponent = (field ? field : 1) - bias;
    wild |= (magnitude > max) | (exponent > TAME) | ((magnitude != 0) & (exponent < -TAME));
    row->value[i] = arith_f32(magnitude << up | sign) * scale;
    row->exponent[i] = (int16_t)(magnitude ? exponent : ZERO_EXPONENT);
  }
  row->wild = wild;
  for (unsigned i = 0; wild && i < k; i++) row->value[i] = (float)arith_decode(format, word[i]);
}

unsigned arith_dot_row(ArithType type, const uint8_t *bytes, DotRow *row) {
  const unsigned size = bytes_of(type), k = DOT_BYTES / size;
  uint32_t word[DOT_MAX_K];
  spread(bytes, size, word);
  row->wild = false;
  decode_floats(arith_format(type), k, word, row);
  return k;
}

void arith_dot_column(ArithType type, const uint8_t *bytes, unsigned column, DotColumns *columns) {
  DotRow row;
  const unsigned k = arith_dot_row(type, bytes, &row);
  for (unsigned i = 0; i < k; i++) {
    columns->value[i].at[column] = row.value[i];
    columns->exponent[i][column] = row.exponent[i];
  }
  columns->wild[column] = row.wild;
  columns->any_wild |= row.wild;
}

/* --- one sum of arbitrary numbers --- */

/* Truncates to the fraction's bits; for f32, not below its smallest subnormal. */
static double cut(double x, unsigned fraction) {
  enum { LEAST_NORMAL = -126 };
  const int below = LEAST_NORMAL - ilogb(x);
  const unsigned drop = 52u - fraction + (unsigned)(below > 0 && fraction < 52 ? below : 0);
  if (drop > 52) return 0;
  return arith_f64(arith_f64_bits(x) & ~((1ull << drop) - 1));
}

static int addend_exponent(const DotRule *rule, float addend) {
  if (addend == 0) return ZERO_EXPONENT;
  const int exponent = ilogbf(addend);
  return exponent > rule->least ? exponent : rule->least;
}

static double sum_plainly(const DotRule *rule, unsigned k, const DotRow *row,
                          const DotColumns *columns, unsigned j, float addend) {
  double product[DOT_MAX_K], all = addend, sum;
  int largest = isfinite(addend) ? addend_exponent(rule, addend) : 0;
  for (unsigned i = 0; i < k; i++) {
    const int exponent = row->exponent[i] + columns->exponent[i][j];
    product[i] = (double)row->value[i] * (double)columns->value[i].at[j];
    all += product[i];
    if (product[i] != 0 && exponent > largest) largest = exponent;
  }
  if (!isfinite(all)) return all;
  sum = trunc(ldexp(addend, rule->kept - largest));
  for (unsigned i = 0; i < k; i++) sum += trunc(ldexp(product[i], rule->kept - largest));
  return sum != 0 ? cut(ldexp(sum, largest - rule->kept), rule->fraction) : 0;
}

/* --- sums of tame numbers, side by side --- */

typedef int32_t Whole __attribute__((vector_size(DOT_WIDTH * sizeof(int32_t))));
typedef union {
  Whole quad[DOT_MAX_COLUMNS / DOT_WIDTH];
  int32_t at[DOT_MAX_COLUMNS];
} IntSums;

/* True if an addend is infinite or NaN. */
static bool addend_exponents(const DotRule *rule, unsigned n, const float *addend, int16_t *to) {
  int beyond = 0;
  for (unsigned j = 0; j < n; j++) {
    const uint32_t magnitude = (uint32_t)arith_f32_bits(addend[j]) & 0x7fffffff;
    const int field = (int)(magnitude >> 23), exponent = field - 127;
    const int bounded = exponent > rule->least ? exponent : rule->least;
    beyond |= field == 255;
    to[j] = (int16_t)(magnitude ? bounded : ZERO_EXPONENT);
  }
  return beyond;
}

static void raise_exponents(unsigned k, unsigned n, const DotRow *row, const DotColumns *columns,
                            int16_t *largest) {
  for (unsigned i = 0; i < k; i++) {
    const int16_t own = row->exponent[i], *other = columns->exponent[i];
    if (own == ZERO_EXPONENT) continue;
    for (unsigned j = 0; j < n; j++) {
      const int16_t sum = (int16_t)(own + other[j]);
      largest[j] = sum > largest[j] ? sum : largest[j];
    }
  }
}

/* Computes the powers of two that align the products; true if one is out of range. If all products
 * are 0, any value will do. */
static bool alignments(const DotRule *rule, unsigned n, int16_t *largest, DotValues *scale) {
  int beyond = 0;
  for (unsigned j = 0; j < n; j++) {
    const int exponent = largest[j];
    beyond |= exponent < LEAST_ALIGNED && exponent > ZERO_EXPONENT / 2;
    const int aligned = exponent < LEAST_ALIGNED ? LEAST_ALIGNED : exponent;
    largest[j] = (int16_t)aligned;
    scale->at[j] = arith_power_of_two(rule->kept - aligned);
  }
  return beyond;
}

/* Aligned products are summed as integers. 16 of them, each below 2^27, fit 32 bits, since 11 bits
 * times 11 bits are below 2^22 - 2^11. */
static void sum_products(unsigned k, unsigned n, const DotRow *row, const DotColumns *columns,
                         const DotValues *scale, IntSums *sum) {
  for (unsigned q = 0; q < n / DOT_WIDTH; q += BLOCK / DOT_WIDTH) {
    const DotQuad scale0 = scale->quad[q], scale1 = scale->quad[q + 1];
    Whole sum0 = {0}, sum1 = {0};
    for (unsigned i = 0; i < k; i++) {
      const float own = row->value[i];
      const DotQuad *other = &columns->value[i].quad[q];
      sum0 += __builtin_convertvector(own * other[0] * scale0, Whole);
      sum1 += __builtin_convertvector(own * other[1] * scale1, Whole);
    }
    sum->quad[q] = sum0;
    sum->quad[q + 1] = sum1;
  }
}

/* Adds the aligned addend, and scales the sum back. */
static void finish(const DotRule *rule, unsigned n, const IntSums *sum, const float *addend,
                   const DotValues *scale, const int16_t *largest, double *out) {
  const uint64_t keep = ~((1ull << (52u - rule->fraction)) - 1);
  for (unsigned j = 0; j < n; j++) {
    const double whole = (double)sum->at[j] + (int32_t)(addend[j] * scale->at[j]);
    const uint64_t back = (uint64_t)(largest[j] - rule->kept + 1023) << 52;
    out[j] = arith_f64(arith_f64_bits(whole * arith_f64(back)) & keep);
  }
}

void arith_dot(const DotRule *rule, unsigned k, unsigned n, const DotRow *row,
               const DotColumns *columns, const float *addend, double *out) {
  int16_t largest[DOT_MAX_COLUMNS];
  DotValues scale;
  IntSums sum;
  bool wild = addend_exponents(rule, n, addend, largest) || row->wild || columns->any_wild;
  if (!wild) {
    raise_exponents(k, n, row, columns, largest);
    wild = alignments(rule, n, largest, &scale);
  }
  if (wild) {
    for (unsigned j = 0; j < n; j++) out[j] = sum_plainly(rule, k, row, columns, j, addend[j]);
    return;
  }
  sum_products(k, n, row, columns, &scale, &sum);
  finish(rule, n, &sum, addend, &scale, largest, out);
}
