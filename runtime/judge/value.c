/* SPDX-License-Identifier: MIT */
#include "judge/value.h"

#include <math.h>
#include <string.h>

typedef enum { KIND_BITS, KIND_UNSIGNED, KIND_SIGNED, KIND_FLOAT } Kind;

/* How the numbers of a dtype are encoded. Dtypes not listed here are opaque. */
typedef struct {
  const char *name;
  Kind kind;
  int parts, exponent_bits, mantissa_bits;
  bool infinities; /* e4m3 has no infinity: all but one of its topmost codes are numbers */
} Format;

static const Format formats[] = {
    {"u8", KIND_UNSIGNED, 1, 0, 0, false},  {"i8", KIND_SIGNED, 1, 0, 0, false},
    {"u16", KIND_UNSIGNED, 1, 0, 0, false}, {"i16", KIND_SIGNED, 1, 0, 0, false},
    {"u32", KIND_UNSIGNED, 1, 0, 0, false}, {"i32", KIND_SIGNED, 1, 0, 0, false},
    {"u64", KIND_UNSIGNED, 1, 0, 0, false}, {"i64", KIND_SIGNED, 1, 0, 0, false},
    {"e4m3", KIND_FLOAT, 1, 4, 3, false},   {"e5m2", KIND_FLOAT, 1, 5, 2, true},
    {"f16", KIND_FLOAT, 1, 5, 10, true},    {"bf16", KIND_FLOAT, 1, 8, 7, true},
    {"f32", KIND_FLOAT, 1, 8, 23, true},    {"f64", KIND_FLOAT, 1, 11, 52, true},
    {"c64", KIND_FLOAT, 2, 8, 23, true},    {"c128", KIND_FLOAT, 2, 11, 52, true},
};

static Format format_of(const Dtype *t) {
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (strcmp(formats[i].name, t->name) == 0) return formats[i];
  return (Format){t->name, KIND_BITS, 1, 0, 0, false};
}

/* splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014. */
static uint64_t next_random(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

/* Random sign and mantissa, exponent for [1/16, 1). */
static uint64_t random_float(const Format *f, uint64_t r) {
  const uint64_t bias = (1u << (f->exponent_bits - 1)) - 1;
  const uint64_t exponent = bias - 4 + (r >> 60 & 3);
  const uint64_t sign = r >> 63;
  const uint64_t mantissa = r & ((1ull << f->mantissa_bits) - 1);
  return (sign << f->exponent_bits | exponent) << f->mantissa_bits | mantissa;
}

static void fill_bits(uint64_t seed, unsigned char *to, size_t bytes) {
  for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
    const uint64_t r = next_random(&seed);
    memcpy(to + i, &r, bytes - i < sizeof r ? bytes - i : sizeof r);
  }
}

void value_fill(const Dtype *t, bool any_bits, uint64_t seed, void *to, int64_t count) {
  const Format f = format_of(t);
  if (any_bits || f.kind != KIND_FLOAT) {
    fill_bits(seed, to, (size_t)count * (size_t)t->bytes);
    return;
  }
  const size_t bytes = (size_t)(t->bytes / f.parts);
  unsigned char *p = to;
  for (int64_t i = 0; i < count * f.parts; i++, p += bytes) {
    const uint64_t r = random_float(&f, next_random(&seed));
    memcpy(p, &r, bytes); /* little endian, as the GPU */
  }
}

int value_parts(const Dtype *t) { return format_of(t).parts; }

static double decode_float(const Format *f, uint64_t bits) {
  const int bias = (1 << (f->exponent_bits - 1)) - 1;
  const uint64_t top = (1u << f->exponent_bits) - 1;
  const uint64_t mantissa = bits & ((1ull << f->mantissa_bits) - 1);
  const uint64_t exponent = bits >> f->mantissa_bits & top;
  const double sign = bits >> (f->exponent_bits + f->mantissa_bits) & 1 ? -1 : 1;
  const bool all_ones = mantissa == (1ull << f->mantissa_bits) - 1;
  if (exponent == top && f->infinities) return mantissa ? NAN : sign * INFINITY;
  if (exponent == top && all_ones) return NAN;
  const double fraction = ldexp((double)mantissa, -f->mantissa_bits);
  if (exponent == 0) return sign * ldexp(fraction, 1 - bias);
  return sign * ldexp(1 + fraction, (int)exponent - bias);
}

static double decode_signed(uint64_t bits, size_t bytes) {
  const uint64_t sign = 1ull << (8 * bytes - 1);
  if (!(bits & sign)) return (double)bits;
  const uint64_t magnitude = (~bits & (sign - 1)) + 1;
  return -(double)magnitude;
}

double value_decode(const Dtype *t, const void *element, int part) {
  const Format f = format_of(t);
  const size_t width = (size_t)(t->bytes / f.parts);
  const size_t bytes = width < sizeof(uint64_t) ? width : sizeof(uint64_t);
  uint64_t bits = 0;
  memcpy(&bits, (const char *)element + (size_t)part * width, bytes);
  if (f.kind == KIND_FLOAT) return decode_float(&f, bits);
  return f.kind == KIND_SIGNED ? decode_signed(bits, bytes) : (double)bits;
}

static uint64_t encode_float(const Format *f, double v) {
  const int bias = (1 << (f->exponent_bits - 1)) - 1;
  const uint64_t infinity = ((1ull << f->exponent_bits) - 1) << f->mantissa_bits;
  const uint64_t beyond = f->infinities ? infinity : infinity | ((1ull << f->mantissa_bits) - 1);
  const uint64_t sign = (uint64_t)(signbit(v) != 0) << (f->exponent_bits + f->mantissa_bits);
  if (isnan(v)) return sign | infinity | ((1ull << f->mantissa_bits) - 1);
  if (isinf(v)) return sign | beyond;
  if (v == 0) return sign;
  int exponent;
  frexp(v, &exponent); /* v is at least 2^(exponent - 1) */
  exponent = exponent - 1 + bias < 1 ? 1 : exponent - 1 + bias;
  const double ulps = nearbyint(ldexp(fabs(v), f->mantissa_bits + bias - exponent));
  if (exponent > (1 << f->exponent_bits)) return sign | beyond;
  /* The leading one of a normal number, and a carry out of the mantissa, add to the exponent. */
  const uint64_t bits = ((uint64_t)(exponent - 1) << f->mantissa_bits) + (uint64_t)ulps;
  return sign | (bits < beyond ? bits : beyond);
}

void value_encode(const Dtype *t, double number, int part, void *element) {
  const Format f = format_of(t);
  const size_t width = (size_t)(t->bytes / f.parts);
  const uint64_t bits = encode_float(&f, number);
  memcpy((char *)element + (size_t)part * width, &bits, width);
}

double value_roundoff(const Dtype *t) { return ldexp(1, -format_of(t).mantissa_bits - 1); }

void value_print(Text *out, const Dtype *t, const void *element) {
  const Format f = format_of(t);
  const unsigned char *byte = element;
  if (f.kind != KIND_BITS) {
    for (int i = 0; i < f.parts; i++)
      text_printf(out, "%s%.9g", i ? ", " : "", value_decode(t, element, i));
    text_puts(out, " (");
  }
  text_puts(out, "0x");
  for (int i = t->bytes - 1; i >= 0; i--) text_printf(out, "%02x", byte[i]);
  if (f.kind != KIND_BITS) text_puts(out, ")");
}
