/* SPDX-License-Identifier: MIT */
/*
 * arith_exact.h: exact numbers as long integers, and IEEE 754 rounding read off their bits: an
 * oracle for every format and rounding that shares nothing with the emulator, which uses the host's
 * floating point.
 */
#ifndef KGEN_TESTS_EMU_ARITH_EXACT_H
#define KGEN_TESTS_EMU_ARITH_EXACT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

__extension__ typedef unsigned __int128 ExactWide;

/* magnitude = sum of word[i] * 2^(32 i - kExactScale): every product of two f64 fits. */
enum { kExactWords = 136, kExactScale = 2176 };

typedef struct Exact {
  bool negative;
  bool inexact; /* the true magnitude is above this one, by less than its last bit of 2^-2176 */
  uint32_t word[kExactWords];
} Exact;

/* e.g. f32: {32, 8, 23} */
typedef struct ExactFormat {
  const char *name;
  unsigned bits, exponent, fraction;
  uint64_t nan;
} ExactFormat;

static const ExactFormat kExactF16 = {"f16", 16, 5, 10, 0x7fff};
static const ExactFormat kExactBf16 = {"bf16", 16, 8, 7, 0x7fff};
static const ExactFormat kExactTf32 = {"tf32", 32, 8, 10, 0x7fffe000};
static const ExactFormat kExactF32 = {"f32", 32, 8, 23, 0x7fffffff};
static const ExactFormat kExactF64 = {"f64", 64, 11, 52, 0x7fffffffffffffff};
static const ExactFormat kExactE5m2 = {"e5m2", 8, 5, 2, 0x7f};

typedef enum ExactRound { EXACT_RN, EXACT_RZ, EXACT_RM, EXACT_RP, EXACT_RNA } ExactRound;
static const char *const kExactRounds[] = {"rn", "rz", "rm", "rp", "rna"};

static inline unsigned exact_tail(const ExactFormat *f) {
  return f->bits - 1 - f->exponent - f->fraction;
}
static inline uint64_t exact_field(const ExactFormat *f, uint64_t bits) {
  return bits >> (exact_tail(f) + f->fraction) & ((1ull << f->exponent) - 1);
}
static inline uint64_t exact_fraction(const ExactFormat *f, uint64_t bits) {
  return bits >> exact_tail(f) & ((1ull << f->fraction) - 1);
}
static inline bool exact_negative(const ExactFormat *f, uint64_t bits) {
  return bits >> (f->bits - 1) & 1;
}
static inline bool exact_special(const ExactFormat *f, uint64_t bits) {
  return exact_field(f, bits) == (1ull << f->exponent) - 1;
}
static inline bool exact_is_nan(const ExactFormat *f, uint64_t bits) {
  return exact_special(f, bits) && exact_fraction(f, bits) != 0;
}
static inline bool exact_subnormal(const ExactFormat *f, uint64_t bits) {
  return exact_field(f, bits) == 0 && exact_fraction(f, bits) != 0;
}
static inline uint64_t exact_infinity(const ExactFormat *f, bool negative) {
  return (((1ull << f->exponent) - 1) << f->fraction | (uint64_t)negative
                                                           << (f->bits - 1 - exact_tail(f)))
         << exact_tail(f);
}

/* The significand of a finite value and the weight of its last bit. */
static inline uint64_t exact_significand(const ExactFormat *f, uint64_t bits, int *weight) {
  const int field = (int)exact_field(f, bits), bias = (1 << (f->exponent - 1)) - 1;
  *weight = (field > 0 ? field : 1) - bias - (int)f->fraction;
  return exact_fraction(f, bits) | (field > 0 ? 1ull << f->fraction : 0);
}

/* m * 2^weight; bits below 2^-2176 must be 0. */
static inline Exact exact_make(ExactWide m, int weight, bool negative) {
  Exact x = {.negative = negative};
  for (unsigned i = 0; i < 128; i++)
    if (m >> i & 1) {
      const unsigned at = (unsigned)(weight + kExactScale) + i;
      x.word[at / 32] |= 1u << at % 32;
    }
  return x;
}

static inline Exact exact_of(const ExactFormat *f, uint64_t bits) {
  int weight;
  const uint64_t m = exact_significand(f, bits, &weight);
  return exact_make(m, weight, exact_negative(f, bits));
}

static inline Exact exact_product(const ExactFormat *f, uint64_t a, uint64_t b) {
  int wa, wb;
  const ExactWide ma = exact_significand(f, a, &wa), mb = exact_significand(f, b, &wb);
  return exact_make(ma * mb, wa + wb, exact_negative(f, a) != exact_negative(f, b));
}

static inline int exact_compare(const Exact *a, const Exact *b) {
  for (int i = kExactWords - 1; i >= 0; i--)
    if (a->word[i] != b->word[i]) return a->word[i] < b->word[i] ? -1 : 1;
  return 0;
}

/* A zero sum of opposite signs is -0 only when rounding down. */
static inline Exact exact_sum(Exact a, Exact b, ExactRound round) {
  const int order = exact_compare(&a, &b);
  if (a.negative != b.negative && order == 0) return (Exact){.negative = round == EXACT_RM};
  const Exact *big = order >= 0 ? &a : &b, *small = order >= 0 ? &b : &a;
  Exact sum = {.negative = big->negative};
  int64_t carry = 0;
  for (int i = 0; i < kExactWords; i++) {
    const int64_t y = (int64_t)small->word[i];
    carry += (int64_t)big->word[i] + (a.negative == b.negative ? y : -y);
    sum.word[i] = (uint32_t)((uint64_t)carry & UINT32_MAX);
    carry = carry < 0 ? -1 : carry >> 32;
  }
  return sum;
}

static inline bool exact_bit(const Exact *x, int at) {
  return at >= 0 && (x->word[at / 32] >> at % 32 & 1) != 0;
}

static inline bool exact_any_below(const Exact *x, int at) {
  int i = 0;
  for (; i + 32 <= at; i += 32)
    if (x->word[i / 32] != 0) return true;
  for (; i < at; i++)
    if (exact_bit(x, i)) return true;
  return x->inexact;
}

/* Bits of x rounded so that the last kept bit weighs 2^(at - scale). */
static inline uint64_t exact_kept(const Exact *x, int at, ExactRound round) {
  uint64_t kept = 0;
  for (int i = 0; i < 64 && at + i < 32 * kExactWords; i++)
    kept |= (uint64_t)exact_bit(x, at + i) << i;
  const bool half = exact_bit(x, at - 1), sticky = exact_any_below(x, at - 1);
  bool up = false;
  switch (round) {
  case EXACT_RN: up = half && (sticky || (kept & 1)); break;
  case EXACT_RZ: break;
  case EXACT_RM: up = x->negative && (half || sticky); break;
  case EXACT_RP: up = !x->negative && (half || sticky); break;
  case EXACT_RNA: up = half; break;
  }
  return kept + up;
}

static inline int exact_top(const Exact *x) {
  for (int i = kExactWords - 1; i >= 0; i--)
    if (x->word[i] != 0) return 32 * i + 31 - __builtin_clz(x->word[i]);
  return -1;
}

/* The format's bits of x. */
static inline uint64_t exact_round(const ExactFormat *f, const Exact *x, ExactRound round) {
  const int bias = (1 << (f->exponent - 1)) - 1, least = 1 - bias - (int)f->fraction + kExactScale;
  const int top = exact_top(x), normal = top - (int)f->fraction;
  const int at = normal > least ? normal : least;
  const uint64_t kept = exact_kept(x, at, round);
  /* kept has its implicit bit, which adds 1 to the field; a carry adds another. */
  const uint64_t magnitude = ((uint64_t)(at - least) << f->fraction) + kept;
  const uint64_t infinity = ((1ull << f->exponent) - 1) << f->fraction;
  const bool towards_zero = round == EXACT_RZ || (round == EXACT_RM && !x->negative) ||
                            (round == EXACT_RP && x->negative);
  const uint64_t most = towards_zero ? infinity - 1 : infinity;
  const unsigned sign_at = f->bits - 1 - exact_tail(f);
  return ((magnitude < infinity ? magnitude : most) | (uint64_t)x->negative << sign_at)
         << exact_tail(f);
}

/* A quotient or root to 64 bits and more, the rest as `inexact`. Finite operands, b not 0. */
static inline Exact exact_quotient(const ExactFormat *f, uint64_t a, uint64_t b) {
  int wa, wb;
  const ExactWide ma = exact_significand(f, a, &wa), mb = exact_significand(f, b, &wb);
  /* All the way up: at least 64 bits of quotient, whatever mb is. */
  const int up = 64 + __builtin_clzll((uint64_t)ma | 1);
  const ExactWide n = ma << up;
  Exact q = exact_make(n / mb, wa - wb - up, exact_negative(f, a) != exact_negative(f, b));
  q.inexact = n % mb != 0;
  return q;
}

static inline Exact exact_root(const ExactFormat *f, uint64_t a) {
  int weight;
  ExactWide m = exact_significand(f, a, &weight);
  while (m != 0 && (m >> 124) == 0) m <<= 1, weight--;
  if (weight % 2 != 0) m <<= 1, weight--;
  ExactWide root = 0;
  for (int i = 63; i >= 0; i--) {
    const ExactWide next = root | (ExactWide)1 << i;
    if (next * next <= m) root = next;
  }
  Exact x = exact_make(root, weight / 2, exact_negative(f, a));
  x.inexact = root * root != m;
  return x;
}

/* The nearest double; only for values it holds. */
static inline double exact_double(const ExactFormat *f, uint64_t bits) {
  int weight;
  const double sign = exact_negative(f, bits) ? -1 : 1;
  if (exact_is_nan(f, bits)) return (double)NAN;
  if (exact_special(f, bits)) return sign * (double)INFINITY;
  const uint64_t m = exact_significand(f, bits, &weight);
  return sign * ldexp((double)m, weight);
}

#endif
