/* SPDX-License-Identifier: MIT */
#include "emu/arith/arith_format.h"

#include <math.h>

static const ArithFormat format_f16 = {16, 10, 15, 1, 0, 0x7bff, 0x7fff};
static const ArithFormat format_bf16 = {16, 7, 127, 1, 0, 0x7f7f, 0x7fff};
static const ArithFormat format_tf32 = {32, 10, 127, 1, 13, 0x3fbff, 0x7fffe000};
static const ArithFormat format_f32 = {32, 23, 127, 1, 0, 0x7f7fffff, ARITH_NAN32};
static const ArithFormat format_f64 = {64, 52, 1023, 1, 0, 0x7fefffffffffffff, 0x7fffffffffffffff};
static const ArithFormat format_e4m3 = {8, 3, 7, 0, 0, 0x7e, 0x7f};
static const ArithFormat format_e5m2 = {8, 2, 15, 1, 0, 0x7b, 0x7f};
static const ArithFormat format_e2m1 = {4, 1, 1, 0, 0, 7, 7};

const ArithFormat *arith_format(ArithType type) {
  static const ArithFormat *const formats[ARITH_TYPES] = {
      [ARITH_F16] = &format_f16,     [ARITH_F16X2] = &format_f16,   [ARITH_BF16] = &format_bf16,
      [ARITH_BF16X2] = &format_bf16, [ARITH_TF32] = &format_tf32,   [ARITH_F32] = &format_f32,
      [ARITH_F32X2] = &format_f32,   [ARITH_F64] = &format_f64,     [ARITH_E4M3] = &format_e4m3,
      [ARITH_E5M2] = &format_e5m2,   [ARITH_E4M3X2] = &format_e4m3, [ARITH_E5M2X2] = &format_e5m2,
      [ARITH_E2M1X2] = &format_e2m1,
  };
  return formats[type];
}

double arith_decode_rare(const ArithFormat *format, uint64_t bits) {
  const unsigned sign_at = format->bits - 1u;
  const uint64_t magnitude = (bits & ((1ull << sign_at) - 1)) >> format->tail;
  const uint64_t fraction = magnitude & ((1ull << format->fraction) - 1);
  if (!magnitude) return bits >> sign_at & 1 ? -0.0 : 0.0;
  double x = ldexp((double)fraction, 1 - format->bias - format->fraction);
  if (magnitude > format->max)
    x = format->infinity && fraction == 0 ? (double)INFINITY : (double)NAN;
  return bits >> sign_at & 1 ? -x : x;
}

/* True if a value strictly between two neighbours is rounded to the one of larger magnitude. */
static bool rounds_up(ArithRound round, bool negative, bool odd, uint64_t rest, uint64_t half) {
  switch (round) {
  case ARITH_RZ: return false;
  case ARITH_RM: return rest != 0 && negative;
  case ARITH_RP: return rest != 0 && !negative;
  case ARITH_RNA: return rest >= half;
  default: return rest > half || (rest == half && odd);
  }
}

static uint64_t overflow(const ArithFormat *format, bool negative, ArithRound round, bool finite) {
  const bool towards_zero =
      round == ARITH_RZ || (round == ARITH_RM && !negative) || (round == ARITH_RP && negative);
  if (finite || towards_zero) return format->max;
  return format->infinity ? format->max + 1 : format->nan;
}

/* Rounds mantissa * 2^exponent, with a mantissa above 0, to the format's bits without the sign. */
static uint64_t round_magnitude(const ArithFormat *format, uint64_t mantissa, int exponent,
                                bool negative, ArithRound round, bool finite) {
  const int zeros = __builtin_clzll(mantissa);
  const uint64_t m = mantissa << zeros;
  const int top = exponent + 63 - zeros;    /* the value is in [2^top, 2^(top + 1)) */
  const int below = 1 - format->bias - top; /* > 0: subnormal, that many bits are lost */
  const int shift = 63 - format->fraction + (below > 0 ? below : 0);
  if (shift > 64) return rounds_up(round, negative, false, 1, 2);
  const uint64_t kept = shift < 64 ? m >> shift : 0;
  const uint64_t rest = shift < 64 ? m & ((1ull << shift) - 1) : m;
  const uint64_t up = rounds_up(round, negative, kept & 1, rest, 1ull << (shift - 1));
  /* Adding carries the implicit bit, and a carry out of the fraction, into the exponent field. */
  const int field = below > 0 ? 0 : top + format->bias - 1;
  if (field >= 1 << (format->bits - 1 - format->fraction - format->tail))
    return overflow(format, negative, round, finite);
  const uint64_t magnitude = ((uint64_t)field << format->fraction) + kept + up;
  return magnitude > format->max ? overflow(format, negative, round, finite) : magnitude;
}

static uint64_t with_sign(const ArithFormat *format, uint64_t magnitude, bool negative) {
  return magnitude << format->tail | (uint64_t)negative << (format->bits - 1);
}

/* The usual case, rounding a normal number to nearest with a normal result: adds half a unit in the
 * last place to the bits of a double. Returns 0 in any other case. */
static uint64_t round_normal(const ArithFormat *format, uint64_t bits) {
  const unsigned drop = 52u - format->fraction;
  const uint64_t magnitude = bits & (UINT64_MAX >> 1);
  const uint64_t least = (uint64_t)(1024 - format->bias) << 52; /* the smallest normal number */
  if (drop == 0 || magnitude < least) return 0;
  const uint64_t odd = magnitude >> drop & 1;
  const uint64_t rounded = (magnitude + (1ull << (drop - 1)) - 1 + odd) >> drop;
  const uint64_t result = rounded - ((uint64_t)(1023 - format->bias) << format->fraction);
  return result <= format->max ? result : 0;
}

uint64_t arith_encode(const ArithFormat *format, double x, ArithRound round, bool finite) {
  const bool nearest = round == ARITH_RN || round == ARITH_ROUND_NONE;
  const uint64_t normal = nearest ? round_normal(format, arith_f64_bits(x)) : 0;
  if (normal != 0) return with_sign(format, normal, signbit(x));
  if (x != x) return format->nan;
  const bool negative = signbit(x);
  if (x == 0) return with_sign(format, 0, negative);
  if (isinf(x)) {
    const uint64_t infinity = format->infinity ? format->max + 1 : format->nan;
    return with_sign(format, finite ? format->max : infinity, negative);
  }
  const uint64_t bits = arith_f64_bits(x);
  const int field = (int)(bits >> 52 & 0x7ff);
  const uint64_t fraction = bits & ((1ull << 52) - 1);
  const uint64_t mantissa = field > 0 ? fraction | 1ull << 52 : fraction;
  const int exponent = (field > 0 ? field : 1) - 1075;
  return with_sign(format, round_magnitude(format, mantissa, exponent, negative, round, finite),
                   negative);
}

uint64_t arith_encode_int(const ArithFormat *format, uint64_t magnitude, bool negative,
                          ArithRound round, bool finite) {
  if (magnitude == 0) return 0;
  return with_sign(format, round_magnitude(format, magnitude, 0, negative, round, finite),
                   negative);
}

double arith_add_odd(double a, double b) {
  const double sum = a + b;
  if (!isfinite(sum)) return sum;
  /* Knuth's two-sum: the rounding error of the sum, exactly. */
  const double part = sum - a;
  const double lost = a - (sum - part);
  const double error = lost + (b - part);
  uint64_t bits = arith_f64_bits(sum);
  if (error == 0 || (bits & 1)) return sum;
  bits += (error > 0) == (sum > 0) ? 1u : UINT64_MAX;
  return arith_f64(bits);
}

double arith_min_max(double a, double b, bool is_max, uint32_t flags) {
  if (a != a || b != b) {
    if ((flags & ARITH_KEEP_NAN) != 0 || (a != a && b != b)) return (double)NAN;
    const double number = a != a ? b : a;
    return (flags & ARITH_XORSIGN) == 0             ? number
           : (signbit(a) != 0) != (signbit(b) != 0) ? -fabs(number)
                                                    : fabs(number);
  }
  const bool negate = (signbit(a) != 0) != (signbit(b) != 0);
  if ((flags & ARITH_XORSIGN) != 0) a = fabs(a), b = fabs(b);
  /* PTX orders -0 below +0. */
  const bool a_below = a < b || (a == b && signbit(a));
  const double picked = a_below == is_max ? b : a;
  return (flags & ARITH_XORSIGN) != 0 && negate ? -picked : picked;
}
