/* SPDX-License-Identifier: MIT */
#include "emu/arith/arith_filter.h"

#include <math.h>
#include <stdlib.h>

/* --- floats --- */

enum { GUARD = 4, WEIGHT_BITS = 8, MEET = 2, NOTHING = INT16_MIN };

/* The value is sum * 2^(exponent - scale_of(bits)), where `exponent` belongs to the largest
 * texel with a nonzero weight. */
typedef struct {
  int64_t sum;
  int exponent; /* NOTHING if all texels are 0 */
} Quad;

static int scale_of(int bits) { return bits - 1 + GUARD + WEIGHT_BITS + MEET; }

static float flushed(float x) { return fabsf(x) < 0x1p-126f ? 0 : x; }

static Quad sum_quad(const float *texel, const uint32_t *weight, int bits) {
  Quad q = {0, NOTHING};
  for (int i = 0; i < FILTER_QUAD; i++) {
    const float x = weight[i] ? flushed(texel[i]) : 0;
    const int exponent = x != 0 ? ilogbf(x) : NOTHING;
    q.exponent = exponent > q.exponent ? exponent : q.exponent;
  }
  for (int i = 0; i < FILTER_QUAD && q.exponent != NOTHING; i++) {
    if (!weight[i]) continue;
    const double scaled = ldexp((double)flushed(texel[i]), bits - 1 + GUARD - q.exponent);
    q.sum += (int64_t)scaled * (int64_t)weight[i] * (1 << MEET);
  }
  return q;
}

/* Adds two quads. Truncates bits of the smaller sum that are more than two below the last bit of
 * the larger one. */
static Quad add_quads(Quad a, Quad b) {
  const Quad high = a.exponent >= b.exponent ? a : b, low = a.exponent >= b.exponent ? b : a;
  const int shift = high.exponent - low.exponent;
  return (Quad){high.sum + (low.sum >> (shift < 63 ? shift : 63)), high.exponent};
}

/* Rounds to nearest, ties away from zero. */
static float rounded(int64_t sum, int scale, int bits) {
  const uint64_t magnitude = (uint64_t)llabs(sum);
  if (!magnitude) return 0;
  const int length = 64 - __builtin_clzll(magnitude), drop = length > bits ? length - bits : 0;
  const uint64_t kept = (magnitude + (drop ? 1ull << (drop - 1) : 0)) >> drop;
  const float x = (float)ldexp((double)kept, drop + scale);
  return sum < 0 ? -flushed(x) : flushed(x);
}

/* Handles infinities and NaNs. */
static float sum_special(const float *texel, const uint32_t *weight, int taps) {
  float sum = 0;
  for (int i = 0; i < taps; i++)
    if (weight[i]) sum += texel[i] * (float)weight[i];
  return sum;
}

float arith_filter_floats(const float *texel, const uint32_t *weight, int taps, int bits) {
  Quad sum = {0, NOTHING};
  for (int i = 0; i < taps; i++)
    if (weight[i] && !isfinite(texel[i])) return sum_special(texel, weight, taps);
  for (int i = 0; i < taps; i += FILTER_QUAD)
    sum = add_quads(sum, sum_quad(texel + i, weight + i, bits));
  return sum.exponent == NOTHING ? 0 : rounded(sum.sum, sum.exponent - scale_of(bits), bits);
}

/* --- fractions --- */

/* Scales weighted sums of 8-bit integers, which have 16 bits, to 16-bit fractions: by 257 / 256 if
 * unsigned, by the hardware's approximation of 32767 / 32512 if signed. */
static int32_t widened(EmuTexel type, int32_t sum) {
  if (type == EMU_TEXEL_U8) return sum + ((sum + 128) >> 8);
  if (type == EMU_TEXEL_S8) return sum + (((sum >> 4) * 257 + 1024) >> 11);
  return (sum + 128) >> 8;
}

float arith_filter_fractions(EmuTexel type, const int32_t *texel, const uint32_t *weight,
                             int taps) {
  int32_t sum = 0;
  for (int i = 0; i < taps; i++) sum += texel[i] * (int32_t)weight[i];
  const int32_t value = widened(type, sum);
  if (type == EMU_TEXEL_U8 || type == EMU_TEXEL_U16) return (float)value / 65535.0f;
  return fmaxf((float)value / 32767.0f, -1);
}
