/* SPDX-License-Identifier: MIT */
#include "emu/arith/arith_int.h"

/* Everything is computed unsigned: PTX wraps around, and signed overflow is undefined in C. */
ARITH_BINARY(add_16, uint32_t, uint16_t, a + b)
ARITH_BINARY(add_32, uint32_t, uint32_t, a + b)
ARITH_BINARY(add_64, uint64_t, uint64_t, a + b)
ARITH_BINARY(sub_16, uint32_t, uint16_t, a - b)
ARITH_BINARY(sub_32, uint32_t, uint32_t, a - b)
ARITH_BINARY(sub_64, uint64_t, uint64_t, a - b)

static int64_t clamp_s32(int64_t x) {
  return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x;
}
ARITH_BINARY(add_sat, int32_t, uint32_t, clamp_s32((int64_t)a + b))
ARITH_BINARY(sub_sat, int32_t, uint32_t, clamp_s32((int64_t)a - b))

/* CC.CF is the carry of a + b or, for a subtraction, of a + ~b + 1: 0 if it borrowed. The ISA's
 * text speaks of a borrow, but CUDA's own 128-bit division adds the flag after sub.cc, and needs 1
 * if nothing was borrowed. */
#define CARRY_FN(NAME, T, START, SUM, OUT)                                                         \
  static uint32_t NAME(ARITH_PARAMS) {                                                             \
    const uint32_t in = (insn->flags & ARITH_READS_CC) != 0 ? mask : START;                        \
    uint32_t out = 0;                                                                              \
    FOR_LANES(i, active) {                                                                         \
      const T a = (T)s[0][i], b = (T)s[1][i], carry = in >> i & 1, sum = (T)(SUM);                 \
      out |= (uint32_t)(OUT) << i;                                                                 \
      d[i] = sum;                                                                                  \
    }                                                                                              \
    return (insn->flags & ARITH_WRITES_CC) != 0 ? out : 0;                                         \
  }
CARRY_FN(add_cc_32, uint32_t, 0, a + b + carry, carry ? sum <= a : sum < a)
CARRY_FN(add_cc_64, uint64_t, 0, a + b + carry, carry ? sum <= a : sum < a)
CARRY_FN(sub_cc_32, uint32_t, UINT32_MAX, a + ~b + carry, carry ? a >= b : a > b)
CARRY_FN(sub_cc_64, uint64_t, UINT32_MAX, a + ~b + carry, carry ? a >= b : a > b)

/* The ISA leaves division by zero undefined. On hardware, quotient and remainder are all ones. */
ARITH_BINARY(div_u16, uint16_t, uint16_t, b == 0 ? UINT16_MAX : a / b)
ARITH_BINARY(div_u32, uint32_t, uint32_t, b == 0 ? UINT32_MAX : a / b)
ARITH_BINARY(div_u64, uint64_t, uint64_t, b == 0 ? UINT64_MAX : a / b)
ARITH_BINARY(rem_u16, uint16_t, uint16_t, b == 0 ? UINT16_MAX : a % b)
ARITH_BINARY(rem_u32, uint32_t, uint32_t, b == 0 ? UINT32_MAX : a % b)
ARITH_BINARY(rem_u64, uint64_t, uint64_t, b == 0 ? UINT64_MAX : a % b)
/* The smallest integer divided by -1 wraps around to itself, with remainder 0. */
ARITH_BINARY(div_s16, int16_t, uint16_t, b == 0 ? -1 : b == -1 ? -a : a / b)
ARITH_BINARY(div_s32, int32_t, uint32_t, b == 0 ? -1 : b == -1 ? -(int64_t)a : a / b)
ARITH_BINARY(div_s64, int64_t, uint64_t,
             b == 0    ? UINT64_MAX
             : b == -1 ? -(uint64_t)a
                       : (uint64_t)(a / b))
ARITH_BINARY(rem_s16, int16_t, uint16_t, b == 0 ? -1 : b == -1 ? 0 : a % b)
ARITH_BINARY(rem_s32, int32_t, uint32_t, b == 0 ? -1 : b == -1 ? 0 : a % b)
ARITH_BINARY(rem_s64, int64_t, uint64_t, b == 0 ? -1 : b == -1 ? 0 : a % b)

ARITH_UNARY(abs_16, int16_t, uint16_t, a < 0 ? -a : a)
ARITH_UNARY(abs_32, int32_t, uint32_t, a < 0 ? -(uint32_t)a : (uint32_t)a)
ARITH_UNARY(abs_64, int64_t, uint64_t, a < 0 ? -(uint64_t)a : (uint64_t)a)
ARITH_UNARY(neg_16, uint16_t, uint16_t, -a)
ARITH_UNARY(neg_32, uint32_t, uint32_t, -a)
ARITH_UNARY(neg_64, uint64_t, uint64_t, -a)

ARITH_BINARY(min_u16, uint16_t, uint16_t, a < b ? a : b)
ARITH_BINARY(min_u32, uint32_t, uint32_t, a < b ? a : b)
ARITH_BINARY(min_u64, uint64_t, uint64_t, a < b ? a : b)
ARITH_BINARY(min_s16, int16_t, uint16_t, a < b ? a : b)
ARITH_BINARY(min_s32, int32_t, uint32_t, a < b ? a : b)
ARITH_BINARY(min_s64, int64_t, uint64_t, a < b ? a : b)
ARITH_BINARY(max_u16, uint16_t, uint16_t, a > b ? a : b)
ARITH_BINARY(max_u32, uint32_t, uint32_t, a > b ? a : b)
ARITH_BINARY(max_u64, uint64_t, uint64_t, a > b ? a : b)
ARITH_BINARY(max_s16, int16_t, uint16_t, a > b ? a : b)
ARITH_BINARY(max_s32, int32_t, uint32_t, a > b ? a : b)
ARITH_BINARY(max_s64, int64_t, uint64_t, a > b ? a : b)

static int32_t relu(int32_t x) { return x < 0 ? 0 : x; }
ARITH_BINARY(min_relu, int32_t, uint32_t, relu(a < b ? a : b))
ARITH_BINARY(max_relu, int32_t, uint32_t, relu(a > b ? a : b))

static uint32_t pack16(uint32_t low, uint32_t high) { return (low & 0xffff) | high << 16; }
static int32_t low16(uint32_t x) { return (int16_t)x; }
static int32_t high16(uint32_t x) { return (int16_t)(x >> 16); }
static int32_t min_int(int32_t a, int32_t b) { return a < b ? a : b; }
static int32_t max_int(int32_t a, int32_t b) { return a > b ? a : b; }
static uint32_t min_uint(uint32_t a, uint32_t b) { return a < b ? a : b; }
static uint32_t max_uint(uint32_t a, uint32_t b) { return a > b ? a : b; }

#define PAIR(F, LOW, HIGH) pack16((uint32_t)F(LOW(a), LOW(b)), (uint32_t)F(HIGH(a), HIGH(b)))
#define RELU_PAIR(F)                                                                               \
  pack16((uint32_t)relu(F(low16(a), low16(b))), (uint32_t)relu(F(high16(a), high16(b))))
#define ULOW(x)  ((x)&0xffff)
#define UHIGH(x) ((x) >> 16)
ARITH_BINARY(add_16x2, uint32_t, uint32_t, pack16(a + b, (a >> 16) + (b >> 16)))
ARITH_BINARY(min_s16x2, uint32_t, uint32_t, PAIR(min_int, low16, high16))
ARITH_BINARY(max_s16x2, uint32_t, uint32_t, PAIR(max_int, low16, high16))
ARITH_BINARY(min_u16x2, uint32_t, uint32_t, PAIR(min_uint, ULOW, UHIGH))
ARITH_BINARY(max_u16x2, uint32_t, uint32_t, PAIR(max_uint, ULOW, UHIGH))
ARITH_BINARY(min_relu_16x2, uint32_t, uint32_t, RELU_PAIR(min_int))
ARITH_BINARY(max_relu_16x2, uint32_t, uint32_t, RELU_PAIR(max_int))

ARITH_TERNARY(sad_u16, uint16_t, uint16_t, c + (a < b ? b - a : a - b))
ARITH_TERNARY(sad_u32, uint32_t, uint32_t, c + (a < b ? b - a : a - b))
ARITH_TERNARY(sad_u64, uint64_t, uint64_t, c + (a < b ? b - a : a - b))
ARITH_TERNARY(sad_s16, int16_t, uint16_t, c + (a < b ? b - a : a - b))
ARITH_TERNARY(sad_s32, int32_t, uint32_t, (int64_t)c + (a < b ? (int64_t)b - a : (int64_t)a - b))
ARITH_TERNARY(sad_s64, int64_t, uint64_t,
              (uint64_t)c + (a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b))

#define WIDTH(W) (ARITH_T(U##W) | ARITH_T(S##W))
/* The rows of an operation, one for each integer type; the translator's functions for 32 and 64
 * bits. */
#define BY_TYPE(OP, SHAPE, WHAT, NATIVE32, NATIVE64)                                               \
  ROW(#OP, SHAPE, ARITH_T(U16), OP##_u16, NULL, .what = WHAT),                                     \
      ROW(#OP, SHAPE, ARITH_T(U32), OP##_u32, NATIVE32),                                           \
      ROW(#OP, SHAPE, ARITH_T(U64), OP##_u64, NATIVE64),                                           \
      ROW(#OP, SHAPE, ARITH_T(S16), OP##_s16, NULL),                                               \
      ROW(#OP, SHAPE, ARITH_T(S32), OP##_s32, NATIVE32),                                           \
      ROW(#OP, SHAPE, ARITH_T(S64), OP##_s64, NATIVE64)
#define MIN_MAX(OP, WHAT)                                                                          \
  BY_TYPE(OP, "ttt", WHAT, #OP "_%t", #OP "_%t"),                                                  \
      ROW(#OP, "ttt", ARITH_T(S32), OP##_relu, NULL, .must = ARITH_RELU),                          \
      ROW(#OP, "ttt", ARITH_T(S16X2), OP##_s16x2, NULL),                                           \
      ROW(#OP, "ttt", ARITH_T(U16X2), OP##_u16x2, NULL),                                           \
      ROW(#OP, "ttt", ARITH_T(S16X2), OP##_relu_16x2, NULL, .must = ARITH_RELU)
#define SIGNED_ONLY(OP, WHAT)                                                                      \
  ROW(#OP, "tt", ARITH_T(S16), OP##_16, NULL, .what = WHAT),                                       \
      ROW(#OP, "tt", ARITH_T(S32), OP##_32, #OP "_%t"),                                            \
      ROW(#OP, "tt", ARITH_T(S64), OP##_64, #OP "_%t")
#define CARRY(OP, FN, WHAT)                                                                        \
  ROW(OP, "ttt", WIDTH(32), FN##_32, NULL, .may = ARITH_WRITES_CC, .what = WHAT),                  \
      ROW(OP, "ttt", WIDTH(64), FN##_64, NULL, .may = ARITH_WRITES_CC)
#define SUM(OP, WHAT)                                                                              \
  ROW(#OP, "ttt", WIDTH(16), OP##_16, #OP "_16", .what = WHAT),                                    \
      ROW(#OP, "ttt", WIDTH(32), OP##_32, #OP "_32"),                                              \
      ROW(#OP, "ttt", WIDTH(64), OP##_64, #OP "_64"),                                              \
      ROW(#OP, "ttt", ARITH_T(S32), OP##_sat, NULL, .must = ARITH_SAT),                            \
      ROW(#OP, "ttt", WIDTH(32), OP##_cc_32, NULL, .must = ARITH_WRITES_CC),                       \
      ROW(#OP, "ttt", WIDTH(64), OP##_cc_64, NULL, .must = ARITH_WRITES_CC)

static const ArithRow rows[] = {
    SUM(add, "a + b"),
    SUM(sub, "a - b"),
    ROW("add", "ttt", WIDTH(16X2), add_16x2, NULL),
    CARRY("addc", add_cc, "a + b + carry"),
    CARRY("subc", sub_cc, "a - b - borrow"),
    BY_TYPE(div, "ttt", "a / b", "div_%t", NULL),
    BY_TYPE(rem, "ttt", "the remainder of a / b", "rem_%t", NULL),
    BY_TYPE(sad, "tttt", "c plus the absolute difference of a and b", NULL, NULL),
    MIN_MAX(min, "the smaller operand"),
    MIN_MAX(max, "the larger operand"),
    SIGNED_ONLY(abs, "the absolute value"),
    SIGNED_ONLY(neg, "-a"),
};

ArithTable arith_int_table(void) { return (ArithTable){rows, ARITH_COUNT(rows)}; }
