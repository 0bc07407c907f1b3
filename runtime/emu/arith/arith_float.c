/* SPDX-License-Identifier: MIT */
#include "emu/arith/arith_float.h"

#include <fenv.h>
#include <float.h>
#include <math.h>

#include "emu/arith/arith_format.h"

#define SIGN32 (1u << 31)
#define SIGN64 (1ull << 63)

#define A32 arith_f32(s[0][i])
#define B32 arith_f32(s[1][i])
#define C32 arith_f32(s[2][i])
#define A64 arith_f64(s[0][i])
#define B64 arith_f64(s[1][i])
#define C64 arith_f64(s[2][i])

static inline uint64_t result64(double x, double first, double second, double third) {
  return arith_f64_bits(arith_first_nan(x, first, second, third));
}

/* Fast loops for rounding to nearest without .ftz and .sat, which covers nearly every
 * instruction. */
#define NEAREST(NAME, RESULT)                                                                      \
  static uint32_t NAME(ARITH_PARAMS) {                                                             \
    ARITH_UNUSED;                                                                                  \
    ARITH_EACH(i, active, { d[i] = RESULT; })                                                      \
    return 0;                                                                                      \
  }
NEAREST(add_f32, arith_f32_result(A32 + B32))
NEAREST(sub_f32, arith_f32_result(A32 - B32))
NEAREST(mul_f32, arith_f32_result((A32 * B32)))
NEAREST(fma_f32, arith_f32_result(fmaf(A32, B32, C32)))
NEAREST(div_f32, arith_f32_result(A32 / B32))
NEAREST(rcp_f32, arith_f32_result(1 / A32))
NEAREST(sqrt_f32, arith_f32_result(sqrtf(A32)))
NEAREST(add_f64, result64(A64 + B64, B64, A64, 0))
NEAREST(sub_f64, result64(A64 - B64, B64, A64, 0))
NEAREST(mul_f64, result64((A64 * B64), B64, A64, 0))
NEAREST(fma_f64, result64(fma(A64, B64, C64), B64, C64, A64))
NEAREST(div_f64, result64(A64 / B64, A64, B64, 0))
NEAREST(rcp_f64, result64(1 / A64, A64, 0, 0))
NEAREST(sqrt_f64, result64(sqrt(A64), A64, 0, 0))

/* Directed rounding uses the host's rounding mode. Operands are read from, and results written to,
 * memory that fesetround might access as far as the compiler knows, so that no arithmetic moves
 * across the two calls. */
static void enter_round(ArithRound round) {
  switch (round) {
  case ARITH_RZ: fesetround(FE_TOWARDZERO); break;
  case ARITH_RM: fesetround(FE_DOWNWARD); break;
  case ARITH_RP: fesetround(FE_UPWARD); break;
  default: break;
  }
}

static void leave_round(ArithRound round) {
  if (round != ARITH_ROUND_NONE && round != ARITH_RN) fesetround(FE_TONEAREST);
}

typedef float (*Op32)(float a, float b, float c);
typedef uint64_t (*Op64)(double a, double b, double c);

/* Part `part` of operand `index`; 0 if the instruction has no such operand. */
static float operand(const ArithInsn *insn, const uint64_t *const *s, unsigned index, uint32_t i,
                     unsigned part) {
  if (index >= insn->n_src) return 0;
  const uint32_t bits = (uint32_t)(s[index][i] >> (32 * part));
  return arith_f32((insn->flags & ARITH_FTZ) != 0 ? arith_flush32(bits) : bits);
}

static uint64_t result32(float x, uint32_t flags) {
  if ((flags & ARITH_SAT) != 0) x = (float)arith_saturate((double)x);
  const uint32_t bits = (uint32_t)arith_f32_result(x);
  return (flags & ARITH_FTZ) != 0 ? arith_flush32(bits) : bits;
}

/* With .ftz, a product equal to the smallest normal number is flushed if rounding without an
 * exponent limit would give less [measured on an H200]. */
static float flush_product(float x, float a, float b, float c) {
  if (fabsf(x) != FLT_MIN) return x;
  const float scaled = fmaf(a * 0x1p64f, b, c * 0x1p64f);
  return fabsf(scaled) < FLT_MIN * 0x1p64f ? copysignf(0, x) : x;
}

static uint32_t run32(const ArithInsn *insn, uint64_t *d, const uint64_t *const *s, uint32_t active,
                      Op32 op, bool is_product) {
  const unsigned parts = insn->dst == ARITH_F32X2 ? 2 : 1;
  const bool flushes = is_product && (insn->flags & ARITH_FTZ) != 0;
  enter_round((ArithRound)insn->round);
  FOR_LANES(i, active) {
    uint64_t result = 0;
    for (unsigned p = 0; p < parts; p++) {
      const float a = operand(insn, s, 0, i, p), b = operand(insn, s, 1, i, p),
                  c = operand(insn, s, 2, i, p), x = op(a, b, c);
      result |= result32(flushes ? flush_product(x, a, b, c) : x, insn->flags) << (32 * p);
    }
    d[i] = result;
  }
  leave_round((ArithRound)insn->round);
  return 0;
}

static uint32_t run64(const ArithInsn *insn, uint64_t *d, const uint64_t *const *s, uint32_t active,
                      Op64 op) {
  const unsigned n = insn->n_src;
  enter_round((ArithRound)insn->round);
  FOR_LANES(i, active) {
    d[i] = op(A64, n > 1 ? B64 : 0, n > 2 ? C64 : 0);
  }
  leave_round((ArithRound)insn->round);
  return 0;
}

/* The general form of the same seven operations: any rounding, .ftz and .sat. The last arguments
 * are the order in which NaN operands are propagated. */
#define ANY(NAME, PRODUCT, EXPR32, EXPR64, ...)                                                    \
  static float NAME##_op32(float a, float b, float c) {                                            \
    (void)a, (void)b, (void)c;                                                                     \
    return EXPR32;                                                                                 \
  }                                                                                                \
  static uint64_t NAME##_op64(double a, double b, double c) {                                      \
    (void)a, (void)b, (void)c;                                                                     \
    return result64(EXPR64, __VA_ARGS__);                                                          \
  }                                                                                                \
  static uint32_t NAME##_any32(ARITH_PARAMS) {                                                     \
    (void)mask;                                                                                    \
    return run32(insn, d, s, active, NAME##_op32, PRODUCT);                                        \
  }                                                                                                \
  static uint32_t NAME##_any64(ARITH_PARAMS) {                                                     \
    (void)mask;                                                                                    \
    return run64(insn, d, s, active, NAME##_op64);                                                 \
  }
ANY(add, false, a + b, a + b, b, a, 0)
ANY(sub, false, a - b, a - b, b, a, 0)
ANY(mul, true, (a * b), (a * b), b, a, 0)
ANY(fma, true, fmaf(a, b, c), fma(a, b, c), b, c, a)
ANY(div, false, a / b, a / b, a, b, 0)
ANY(rcp, false, 1 / a, 1 / a, a, 0, 0)
ANY(sqrt, false, sqrtf(a), sqrt(a), a, 0, 0)

static uint32_t min_max_f32(ARITH_PARAMS, bool is_max) {
  (void)mask;
  FOR_LANES(i, active) {
    const float a = operand(insn, s, 0, i, 0), b = operand(insn, s, 1, i, 0);
    d[i] = arith_f32_result((float)arith_min_max((double)a, (double)b, is_max, insn->flags));
  }
  return 0;
}

static uint32_t min_max_f64(ARITH_PARAMS, bool is_max) {
  (void)mask;
  FOR_LANES(i, active) d[i] = result64(arith_min_max(A64, B64, is_max, insn->flags), B64, A64, 0);
  return 0;
}

static uint32_t min_f32(ARITH_PARAMS) { return min_max_f32(insn, d, s, active, mask, false); }
static uint32_t max_f32(ARITH_PARAMS) { return min_max_f32(insn, d, s, active, mask, true); }
static uint32_t min_f64(ARITH_PARAMS) { return min_max_f64(insn, d, s, active, mask, false); }
static uint32_t max_f64(ARITH_PARAMS) { return min_max_f64(insn, d, s, active, mask, true); }

static uint32_t min_max3_f32(ARITH_PARAMS, bool is_max) {
  const uint32_t clear = insn->flags & ARITH_ABS ? SIGN32 : 0, flags = insn->flags;
  (void)mask;
  FOR_LANES(i, active) {
    double x = 0;
    for (unsigned k = 0; k < 3; k++) {
      const double y = (double)arith_f32(arith_f32_bits(operand(insn, s, k, i, 0)) & ~clear);
      x = k ? arith_min_max(x, y, is_max, flags) : y;
    }
    d[i] = arith_f32_result((float)x);
  }
  return 0;
}

static uint32_t min3_f32(ARITH_PARAMS) { return min_max3_f32(insn, d, s, active, mask, false); }
static uint32_t max3_f32(ARITH_PARAMS) { return min_max3_f32(insn, d, s, active, mask, true); }

/* abs and neg behave like sums with -0 [measured on an H200]: their NaNs are the NaNs of sums. */
static inline uint32_t with_sign32(const ArithInsn *insn, uint32_t bits, uint32_t clear,
                                   uint32_t flip) {
  const uint32_t number = (insn->flags & ARITH_FTZ) != 0 ? arith_flush32(bits) : bits;
  return (bits & 0x7fffffff) > 0x7f800000 ? ARITH_NAN32 : (number & ~clear) ^ flip;
}
static inline uint64_t with_sign64(uint64_t bits, uint64_t clear, uint64_t flip) {
  return (bits & ~SIGN64) > 0x7ff0000000000000 ? bits | ARITH_QUIET64 : (bits & ~clear) ^ flip;
}
ARITH_UNARY(abs_f32, uint32_t, uint32_t, with_sign32(insn, a, SIGN32, 0))
ARITH_UNARY(neg_f32, uint32_t, uint32_t, with_sign32(insn, a, 0, SIGN32))
ARITH_UNARY(abs_f64, uint64_t, uint64_t, with_sign64(a, SIGN64, 0))
ARITH_UNARY(neg_f64, uint64_t, uint64_t, with_sign64(a, 0, SIGN64))
ARITH_BINARY(copysign_f32, uint32_t, uint32_t, (a & 0x80000000) | (b & 0x7fffffff))
ARITH_BINARY(copysign_f64, uint64_t, uint64_t, (a & SIGN64) | (b & ~SIGN64))

#define WRITTEN (ARITH_ANY_ROUND & ~(1u << ARITH_ROUND_NONE)) /* a rounding must be named */
#define FTZ_SAT (ARITH_FTZ | ARITH_SAT)
/* The rows of one operation: the fast loop first, then the general one. */
#define ROUNDED(OP, SHAPE, FN, ROUNDS, FLAGS, WHAT, NATIVE)                                        \
  ROW(OP, SHAPE, ARITH_T(F32), FN##_f32, NATIVE, .rounds = (ROUNDS)&ARITH_NEAREST, .what = WHAT),  \
      ROW(OP, SHAPE, ARITH_T(F32), FN##_any32, NATIVE, .may = FLAGS, .rounds = ROUNDS),            \
      ROW(OP, SHAPE, ARITH_T(F64), FN##_f64, #FN "_f64", .rounds = (ROUNDS)&ARITH_NEAREST),        \
      ROW(OP, SHAPE, ARITH_T(F64), FN##_any64, NULL, .rounds = ROUNDS)
#define MIN_MAX(OP, WHAT)                                                                          \
  ROW(#OP, "ttt", ARITH_T(F32), OP##_f32, #OP "_f32", .may = ARITH_FTZ | ARITH_KEEP_NAN,           \
      .what = WHAT),                                                                               \
      ROW(#OP, "ttt", ARITH_T(F32), OP##_f32, NULL, .must = ARITH_XORSIGN | ARITH_ABS,             \
          .may = ARITH_FTZ | ARITH_KEEP_NAN),                                                      \
      ROW(#OP "3", "tttt", ARITH_T(F32), OP##3_f32, NULL,                                          \
          .may = ARITH_FTZ | ARITH_KEEP_NAN | ARITH_ABS),                                          \
      ROW(#OP, "ttt", ARITH_T(F64), OP##_f64, #OP "_f64")

static const ArithRow rows[] = {
    ROUNDED("add", "ttt", add, ARITH_ANY_ROUND, FTZ_SAT, "a + b", "add_f32"),
    ROUNDED("sub", "ttt", sub, ARITH_ANY_ROUND, FTZ_SAT, "a - b", "sub_f32"),
    ROUNDED("mul", "ttt", mul, ARITH_ANY_ROUND, FTZ_SAT, "a * b", "mul_%zf32"),
    ROUNDED("fma", "tttt", fma, WRITTEN, FTZ_SAT, "a * b + c, rounded once", "fma_%zf32"),
    ROUNDED("mad", "tttt", fma, WRITTEN, FTZ_SAT, "a * b + c, rounded once", "fma_%zf32"),
    ROUNDED("div", "ttt", div, WRITTEN, ARITH_FTZ, "a / b", "div_f32"),
    ROUNDED("rcp", "tt", rcp, WRITTEN, ARITH_FTZ, "1 / a", "rcp_f32"),
    ROUNDED("sqrt", "tt", sqrt, WRITTEN, ARITH_FTZ, "the square root", "sqrt_f32"),
    ROW("add", "ttt", ARITH_T(F32X2), add_any32, NULL, .may = ARITH_FTZ, .rounds = ARITH_ANY_ROUND),
    ROW("sub", "ttt", ARITH_T(F32X2), sub_any32, NULL, .may = ARITH_FTZ, .rounds = ARITH_ANY_ROUND),
    ROW("mul", "ttt", ARITH_T(F32X2), mul_any32, NULL, .may = ARITH_FTZ, .rounds = ARITH_ANY_ROUND),
    ROW("fma", "tttt", ARITH_T(F32X2), fma_any32, NULL, .may = ARITH_FTZ, .rounds = WRITTEN),
    MIN_MAX(min, "the smaller number; a NaN only with .NaN, or if both are"),
    MIN_MAX(max, "the larger number; a NaN only with .NaN, or if both are"),
    ROW("abs", "tt", ARITH_T(F32), abs_f32, "abs_f32", .may = ARITH_FTZ),
    ROW("neg", "tt", ARITH_T(F32), neg_f32, "neg_f32", .may = ARITH_FTZ),
    ROW("abs", "tt", ARITH_T(F64), abs_f64, "abs_f64"),
    ROW("neg", "tt", ARITH_T(F64), neg_f64, "neg_f64"),
    ROW("copysign", "ttt", ARITH_T(F32), copysign_f32, "copysign_f32",
        .what = "b with the sign of a"),
    ROW("copysign", "ttt", ARITH_T(F64), copysign_f64, NULL),
};

ArithTable arith_float_table(void) { return (ArithTable){rows, ARITH_COUNT(rows)}; }
