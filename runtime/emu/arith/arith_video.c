/* SPDX-License-Identifier: MIT */
#include "emu/arith/arith_video.h"

static int64_t part_of(uint32_t word, VideoPart part, bool is_signed) {
  const uint32_t top = word >> part.at << (32 - part.bits);
  return is_signed ? (int64_t)((int32_t)top >> (32 - part.bits))
                   : (int64_t)(top >> (32 - part.bits));
}

static int64_t clamp(int64_t x, unsigned bits, bool is_signed) {
  const int64_t most = (INT64_C(1) << (bits - (is_signed ? 1 : 0))) - 1;
  const int64_t least = is_signed ? -most - 1 : 0;
  return x < least ? least : x > most ? most : x;
}

static bool holds(unsigned compare, int64_t a, int64_t b) {
  switch (compare) {
  case ARITH_EQ: return a == b;
  case ARITH_NE: return a != b;
  case ARITH_LT: return a < b;
  case ARITH_LE: return a <= b;
  case ARITH_GT: return a > b;
  default: return a >= b;
  }
}

/* Shift counts are clamped to 32, or taken modulo 32. */
static int64_t shift(const ArithVideo *op, int64_t a, int64_t b) {
  const int64_t count = op->wraps ? b & 31 : b > 32 ? 32 : b;
  return op->op == VIDEO_SHL ? (int64_t)((uint64_t)a << count) : a >> count;
}

static int64_t combine(const ArithVideo *op, int64_t a, int64_t b) {
  switch ((VideoOp)op->op) {
  case VIDEO_ADD: return a + b;
  case VIDEO_SUB: return a - b;
  case VIDEO_ABSDIFF: return a < b ? b - a : a - b;
  case VIDEO_MIN: return a < b ? a : b;
  case VIDEO_MAX: return a < b ? b : a;
  case VIDEO_AVRG: return (a + b + (a + b >= 0)) >> 1;
  case VIDEO_SET: return holds(op->compare, a, b);
  default: return shift(op, a, b);
  }
}

/* --- scalars --- */

static uint32_t finish(const ArithVideo *op, int64_t x, uint32_t c) {
  const uint32_t low = (uint32_t)x;
  const bool less = op->d_signed ? (int32_t)low < (int32_t)c : low < c;
  const uint32_t mask = (UINT32_MAX >> (32 - op->d.bits)) << op->d.at;
  switch ((VideoSecond)op->second) {
  case VIDEO_PLUS: return low + c;
  case VIDEO_LEAST: return less ? low : c;
  case VIDEO_MOST: return less ? c : low;
  case VIDEO_MERGE: return (c & ~mask) | (low << op->d.at & mask);
  default: return low;
  }
}

static uint32_t scalar(const ArithVideo *op, uint32_t a, uint32_t b, uint32_t c) {
  const bool shifts = op->op == VIDEO_SHL || op->op == VIDEO_SHR;
  const int64_t x = part_of(a, op->a, op->a_signed);
  const int64_t result = combine(op, x, part_of(b, op->b, op->b_signed && !shifts));
  return finish(op, op->saturates ? clamp(result, op->d.bits, op->d_signed) : result, c);
}

/* An operand is signed if its type is, or if it is negated. */
static uint32_t multiply_add(const ArithVideo *op, uint32_t a, uint32_t b, uint32_t c) {
  const bool is_signed = op->a_signed || op->b_signed || op->product_negated || op->c_negated;
  __extension__ typedef __int128 Wide;
  const Wide product = (Wide)part_of(a, op->a, op->a_signed) * part_of(b, op->b, op->b_signed);
  const Wide addend = is_signed ? (Wide)(int32_t)c : (Wide)c;
  Wide sum = (op->product_negated ? -product : product) + (op->c_negated ? -addend : addend) +
             op->plus_one;
  sum >>= op->shift;
  if (!op->saturates) return (uint32_t)sum;
  const Wide most = is_signed ? INT32_MAX : UINT32_MAX, least = is_signed ? INT32_MIN : 0;
  return (uint32_t)(sum < least ? least : sum > most ? most : sum);
}

/* --- lanes --- */

static int64_t lane_of(const ArithVideo *op, uint64_t both, unsigned lane) {
  const bool of_b = lane >= op->lanes;
  const uint8_t bits = (uint8_t)(32 / op->lanes);
  const uint32_t word = (uint32_t)(both >> (of_b ? 32 : 0));
  const VideoPart part = {(uint8_t)(lane % op->lanes * bits), bits};
  return part_of(word, part, of_b ? op->b_signed : op->a_signed);
}

static uint32_t lanes(const ArithVideo *op, uint32_t a, uint32_t b, uint32_t c) {
  const unsigned bits = 32u / op->lanes;
  const uint64_t both = (uint64_t)b << 32 | a;
  const uint32_t element = UINT32_MAX >> (32 - bits);
  uint32_t out = c, sum = c;
  for (unsigned i = 0; i < op->lanes; i++) {
    if (!(op->mask >> i & 1)) continue;
    int64_t x = combine(op, lane_of(op, both, op->a_lane[i]), lane_of(op, both, op->b_lane[i]));
    if (op->saturates) x = clamp(x, bits, op->d_signed);
    sum += (uint32_t)x;
    out = (out & ~(element << i * bits)) | ((uint32_t)x & element) << i * bits;
  }
  return op->second == VIDEO_PLUS ? sum : out;
}

uint32_t arith_video(const ArithVideo *op, uint32_t a, uint32_t b, uint32_t c) {
  if (op->lanes > 1) return lanes(op, a, b, c);
  return op->op == VIDEO_MAD ? multiply_add(op, a, b, c) : scalar(op, a, b, c);
}
