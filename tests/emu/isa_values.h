/* SPDX-License-Identifier: MIT */
/* isa_values.h: operands at which instructions tend to be wrong, for every format: zeros, limits,
 * subnormals, infinities, quiet and signalling NaNs, numbers with few bits, which are midpoints
 * between numbers of narrower formats, and their neighbours. They are the same in every run. */
#ifndef KGEN_TESTS_EMU_ISA_VALUES_H
#define KGEN_TESTS_EMU_ISA_VALUES_H

#include <stdbool.h>
#include <stdint.h>

typedef enum {
  ISA_INT,
  ISA_F16,
  ISA_BF16,
  ISA_F32,
  ISA_F64,
  ISA_E4M3,
  ISA_E5M2,
  ISA_PAIRS,   /* metadata of mma.sp: two of four elements, */
  ISA_SINGLES, /* or one of two */
} IsaKind;

typedef struct {
  uint8_t exponent, mantissa; /* bits */
} IsaFormat;

static const IsaFormat isa_format[] = {
    [ISA_F16] = {5, 10},  [ISA_BF16] = {8, 7}, [ISA_F32] = {8, 23},
    [ISA_F64] = {11, 52}, [ISA_E4M3] = {4, 3}, [ISA_E5M2] = {5, 2}};

static inline uint64_t isa_hash(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

static inline uint64_t isa_next(uint64_t *state) {
  *state += 0x9e3779b97f4a7c15u;
  return isa_hash(*state);
}

static inline uint64_t isa_pick(uint64_t *state, uint64_t n) { return isa_next(state) % n; }

/* A number with few bits set, or few bits clear; or one next to it. */
static inline uint64_t isa_sparse(uint64_t *state, unsigned bits) {
  const uint64_t low = isa_next(state) << isa_pick(state, bits + 1u);
  const uint64_t x = isa_pick(state, 4) ? low : ~low;
  return x + isa_pick(state, 3) - 1;
}

/* An exponent: any; of numbers near 1; of narrower formats; of where integers end. */
static inline uint64_t isa_exponent(uint64_t *state, unsigned bits) {
  const uint64_t one = (1u << (bits - 1)) - 1;
  switch (isa_pick(state, 4)) {
  case 0: return isa_next(state);
  case 1: return one - 2 + isa_pick(state, 5);
  case 2: return one - 26 + isa_pick(state, 44);
  default: return one + 5 + isa_pick(state, 60);
  }
}

/* Zero, one, subnormals, the least and the largest normal, infinity and NaNs, without a sign. */
static inline uint64_t isa_edge(uint64_t *state, IsaFormat f) {
  const unsigned m = f.mantissa;
  const uint64_t mantissa = (1ull << m) - 1, exponent = (1ull << f.exponent) - 1;
  const uint64_t edges[] = {0,
                            1,
                            mantissa,
                            1ull << m,
                            (1ull << m) + 1,
                            ((exponent - 1) << m) + mantissa,
                            exponent << m,
                            (exponent << m) + 1,
                            (exponent << m) + (1ull << (m - 1)),
                            (exponent << m) + mantissa,
                            (exponent >> 1) << m};
  return edges[isa_pick(state, sizeof edges / sizeof *edges)];
}

/* Tame: a normal number near 1, so that sums are not all infinite. */
static inline uint64_t isa_float(uint64_t *state, IsaFormat f, bool tame) {
  const uint64_t mantissa = (1ull << f.mantissa) - 1, exponent = (1ull << f.exponent) - 1;
  const uint64_t sign = isa_pick(state, 2) << (f.exponent + f.mantissa), way = isa_pick(state, 6);
  if (way == 0 && !tame) return sign | isa_edge(state, f);
  const uint64_t fraction = way < 4 ? isa_sparse(state, f.mantissa) : isa_next(state);
  const uint64_t power =
      tame ? (exponent >> 1) - 3 + isa_pick(state, 6) : isa_exponent(state, f.exponent);
  return sign | (power & exponent) << f.mantissa | (fraction & mantissa);
}

static inline uint64_t isa_integer(uint64_t *state, unsigned bits) {
  const uint64_t top = 1ull << (bits - 1);
  const uint64_t edges[] = {0, 1, top, top - 1, top + 1, ~0ull, ~1ull, bits, bits - 1, bits + 1};
  switch (isa_pick(state, 6)) {
  case 0: return edges[isa_pick(state, sizeof edges / sizeof *edges)];
  case 1: return isa_pick(state, 80) - 8;
  case 2: return isa_sparse(state, bits - 1);
  case 3: return isa_next(state) >> isa_pick(state, 64);
  default: return isa_next(state);
  }
}

static inline uint64_t isa_element(uint64_t *state, IsaKind kind, unsigned bits, bool tame) {
  static const uint8_t pairs[] = {4, 8, 12, 9, 13, 14}, singles[] = {4, 14};
  switch (kind) {
  case ISA_INT: return isa_integer(state, bits);
  case ISA_PAIRS: return pairs[isa_pick(state, sizeof pairs)];
  case ISA_SINGLES: return singles[isa_pick(state, sizeof singles)];
  default: return isa_float(state, isa_format[kind], tame);
  }
}

static inline unsigned isa_element_bits(IsaKind kind, unsigned bits) {
  if (kind == ISA_INT) return bits;
  if (kind == ISA_PAIRS || kind == ISA_SINGLES) return 4;
  return 1u + isa_format[kind].exponent + isa_format[kind].mantissa;
}

/* A register of `bits` bits, full of elements of one kind. */
static inline uint64_t isa_value(uint64_t *state, IsaKind kind, unsigned bits, bool tame) {
  const unsigned width = isa_element_bits(kind, bits);
  const uint64_t mask = width < 64 ? (1ull << width) - 1 : UINT64_MAX;
  uint64_t x = 0;
  for (unsigned at = 0; at < bits; at += width)
    x |= (isa_element(state, kind, bits, tame) & mask) << at;
  return x;
}

#endif
