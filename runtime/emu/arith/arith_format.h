/* SPDX-License-Identifier: MIT */
/* arith_format.h: floating-point formats, decoded exactly and rounded once. */
#ifndef KGEN_EMU_ARITH_ARITH_FORMAT_H
#define KGEN_EMU_ARITH_ARITH_FORMAT_H

#include <string.h>

#include "emu/arith/arith.h"

/* A binary floating-point format of at most 64 bits. */
typedef struct {
  uint8_t bits, fraction; /* width, explicit fraction bits */
  int16_t bias;
  uint8_t infinity; /* 1 if the largest exponent holds inf and NaN; e4m3 has only NaN, all ones */
  uint8_t tail;     /* unused low bits below the fraction (tf32) */
  uint64_t max;     /* largest finite magnitude, tail excluded */
  uint64_t nan;     /* canonical NaN */
} ArithFormat;

/* The format of a scalar or packed type's element; NULL if it is not a float. */
const ArithFormat *arith_format(ArithType type);

/* Rounds x once to the format. Overflow gives what IEEE 754 prescribes for the rounding mode or, if
 * `finite`, the largest finite value, also for an infinite x. NaN gives the canonical NaN. */
uint64_t arith_encode(const ArithFormat *format, double x, ArithRound round, bool finite);

/* Rounds the integer `magnitude`, negated if `negative`, once to the format. */
uint64_t arith_encode_int(const ArithFormat *format, uint64_t magnitude, bool negative,
                          ArithRound round, bool finite);

/* a + b, rounded to odd: rounding the result again, to 51 bits or fewer, equals rounding once. */
double arith_add_odd(double a, double b);

/* PTX's min and max of values that the type's format can represent. flags: KEEP_NAN, XORSIGN. */
double arith_min_max(double a, double b, bool is_max, uint32_t flags);

static inline float arith_f32(uint64_t bits) {
  const uint32_t low = (uint32_t)bits;
  float x;
  memcpy(&x, &low, sizeof x);
  return x;
}

static inline uint64_t arith_f32_bits(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* 2^exponent, of a normal f32. */
static inline float arith_power_of_two(int exponent) {
  return arith_f32((uint64_t)(exponent + 127) << 23);
}

static inline double arith_f64(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static inline uint64_t arith_f64_bits(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* Every arithmetic f32 instruction returns this NaN, whatever the payloads of its operands. */
#define ARITH_NAN32   0x7fffffffu
#define ARITH_QUIET64 (1ull << 51)

static inline uint64_t arith_f32_result(float x) {
  return x == x ? arith_f32_bits(x) : ARITH_NAN32;
}

/* Selects the NaN of an f64 instruction, which keeps payloads: x if it is a number, else the first
 * operand that is a NaN, made quiet. The order of operands was measured on an H200. */
static inline double arith_first_nan(double x, double first, double second, double third) {
  const double nan = first != first ? first : second != second ? second : third;
  return x == x || nan == nan ? x : arith_f64(arith_f64_bits(nan) | ARITH_QUIET64);
}

/* .ftz: a subnormal becomes a zero with its sign. */
static inline uint32_t arith_flush32(uint32_t bits) {
  return (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
}

/* The slow path of arith_decode(), for zeros, subnormals, infinities and NaNs. */
double arith_decode_rare(const ArithFormat *format, uint64_t bits);

/* The exact value of the bits, e.g. 1.0 for f16 0x3c00; a NaN becomes quiet. */
static inline double arith_decode(const ArithFormat *format, uint64_t bits) {
  if (format->bits == 64) return arith_f64(bits);
  const unsigned sign_at = format->bits - 1u, fraction = format->fraction;
  const uint64_t magnitude = (bits & ((1ull << sign_at) - 1)) >> format->tail;
  const uint64_t field = magnitude >> fraction;
  if (field == 0 || magnitude > format->max) return arith_decode_rare(format, bits);
  /* A normal number keeps its fraction; the bias of its exponent changes. */
  const uint64_t rebias = (uint64_t)(1023 - format->bias) << 52;
  return arith_f64(((magnitude << (52 - fraction)) + rebias) | (bits >> sign_at & 1) << 63);
}

/* .sat of floats: [+0, 1], NaN becomes +0. */
static inline double arith_saturate(double x) { return x > 0 ? (x < 1 ? x : 1) : 0; }

#endif
