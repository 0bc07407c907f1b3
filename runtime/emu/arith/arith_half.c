/* SPDX-License-Identifier: MIT */
/* f16 and bf16, single and packed: computed in double and rounded once, except for ex2. */
#include "emu/arith/arith_half.h"

#include <math.h>

#include "emu/arith/arith_format.h"

typedef double (*HalfOp)(double a, double b, double c, uint32_t flags);

/* Tests only the exponent field; the bits of infinity are that field's mask. */
static uint32_t flush(const ArithFormat *format, uint32_t bits) {
  return (bits & (uint32_t)(format->max + 1)) == 0 ? bits & 0x8000 : bits;
}

static double operand(const ArithInsn *insn, const ArithFormat *format, const uint64_t *const *s,
                      unsigned index, uint32_t i, unsigned part) {
  if (index >= insn->n_src) return 0;
  const uint32_t bits = (uint32_t)(s[index][i] >> (16 * part)) & 0xffff;
  return arith_decode(format, (insn->flags & ARITH_FTZ) != 0 ? flush(format, bits) : bits);
}

/* Flushes results that would be below the smallest normal number if rounded with an unlimited
 * exponent, even if rounding as a subnormal would give that number [measured on an H200]. */
static uint64_t result(const ArithFormat *format, double x, uint32_t flags) {
  const double least = arith_f64((uint64_t)(1024 - format->bias) << 52);
  const double flushed = least * (1 - ldexp(1, -format->fraction - 2));
  if ((flags & ARITH_SAT) != 0) x = arith_saturate(x);
  if ((flags & ARITH_RELU) != 0 && x <= 0) x = 0;
  if ((flags & ARITH_FTZ) != 0 && fabs(x) < flushed) x = copysign(0, x);
  return arith_encode(format, x, ARITH_RN, false);
}

static uint32_t run(const ArithInsn *insn, uint64_t *d, const uint64_t *const *s, uint32_t active,
                    HalfOp op) {
  const ArithFormat *format = arith_format((ArithType)insn->dst);
  const unsigned parts = arith_bits((ArithType)insn->dst) / 16;
  FOR_LANES(i, active) {
    uint64_t bits = 0;
    for (unsigned p = 0; p < parts; p++) {
      const double a = operand(insn, format, s, 0, i, p), b = operand(insn, format, s, 1, i, p),
                   c = operand(insn, format, s, 2, i, p);
      bits |= result(format, op(a, b, c, insn->flags), insn->flags) << (16 * p);
    }
    d[i] = bits;
  }
  return 0;
}

#define HALF_FN(NAME, EXPR)                                                                        \
  static double NAME##_op(double a, double b, double c, uint32_t flags) {                          \
    (void)a, (void)b, (void)c, (void)flags;                                                        \
    return EXPR;                                                                                   \
  }                                                                                                \
  static uint32_t NAME(ARITH_PARAMS) {                                                             \
    (void)mask;                                                                                    \
    return run(insn, d, s, active, NAME##_op);                                                     \
  }
/* A product of two fp16 values is exact in double. A sum with a third may not be, so it is rounded
 * to odd. */
HALF_FN(half_add, arith_add_odd(a, b))
HALF_FN(half_sub, arith_add_odd(a, -b))
HALF_FN(half_mul, (a * b))
HALF_FN(half_fma, arith_add_odd((a * b), c))
HALF_FN(half_min, arith_min_max(a, b, false, flags))
HALF_FN(half_max, arith_min_max(a, b, true, flags))
HALF_FN(half_tanh, tanh(a))

/* An H200 truncates an f32 and flushes results below the smallest number to 0 [measured: 1,923 of
 * 1,932 operands agree; the others are within 2^-22 below 0, where its f32 result is already 1]. */
static uint64_t ex2(const ArithFormat *format, double a, uint32_t flags) {
  const double power = (double)(float)exp2(a), most = arith_decode(format, format->max);
  const uint64_t bits = arith_encode(format, power > most ? INFINITY : power, ARITH_RZ, false);
  return (flags & ARITH_FTZ) != 0 ? flush(format, (uint32_t)bits) : bits;
}

static uint32_t half_ex2(ARITH_PARAMS) {
  (void)mask;
  const ArithFormat *format = arith_format((ArithType)insn->dst);
  const unsigned parts = arith_bits((ArithType)insn->dst) / 16;
  FOR_LANES(i, active) {
    uint64_t bits = 0;
    for (unsigned p = 0; p < parts; p++)
      bits |= ex2(format, operand(insn, format, s, 0, i, p), insn->flags) << (16 * p);
    d[i] = bits;
  }
  return 0;
}

/* abs and neg make NaNs canonical [measured on an H200]. */
static uint32_t with_sign(const ArithInsn *insn, uint32_t bits, uint32_t clear, uint32_t flip) {
  const ArithFormat *format = arith_format((ArithType)insn->dst);
  if ((bits & 0x7fff) > format->max + 1) return (uint32_t)format->nan;
  const uint32_t number = (insn->flags & ARITH_FTZ) != 0 ? flush(format, bits) : bits;
  return (number & ~clear) ^ flip;
}
static uint32_t with_signs(const ArithInsn *insn, uint32_t bits, uint32_t clear, uint32_t flip) {
  return with_sign(insn, bits & 0xffff, clear, flip) | with_sign(insn, bits >> 16, clear, flip)
                                                           << 16;
}
ARITH_UNARY(abs_half, uint16_t, uint16_t, with_sign(insn, a, 0x8000, 0))
ARITH_UNARY(neg_half, uint16_t, uint16_t, with_sign(insn, a, 0, 0x8000))
ARITH_UNARY(abs_half2, uint32_t, uint32_t, with_signs(insn, a, 0x8000, 0))
ARITH_UNARY(neg_half2, uint32_t, uint32_t, with_signs(insn, a, 0, 0x8000))

#define F16S  (ARITH_T(F16) | ARITH_T(F16X2))
#define BF16S (ARITH_T(BF16) | ARITH_T(BF16X2))
#define RN    (1u << ARITH_RN)
#define SIMPLE(OP)                                                                                 \
  ROW(#OP, "ttt", F16S, half_##OP, #OP "_%t", .may = ARITH_FTZ | ARITH_SAT,                        \
      .rounds = ARITH_NEAREST),                                                                    \
      ROW(#OP, "ttt", BF16S, half_##OP, #OP "_%t", .rounds = ARITH_NEAREST)
#define MIN_MAX(OP)                                                                                \
  ROW(#OP, "ttt", F16S, half_##OP, #OP "_%t", .may = ARITH_FTZ | ARITH_KEEP_NAN),                  \
      ROW(#OP, "ttt", BF16S, half_##OP, #OP "_%t", .may = ARITH_KEEP_NAN),                         \
      ROW(#OP, "ttt", F16S, half_##OP, NULL, .must = ARITH_XORSIGN | ARITH_ABS,                    \
          .may = ARITH_FTZ | ARITH_KEEP_NAN),                                                      \
      ROW(#OP, "ttt", BF16S, half_##OP, NULL, .must = ARITH_XORSIGN | ARITH_ABS,                   \
          .may = ARITH_KEEP_NAN)
#define SIGN(OP)                                                                                   \
  ROW(#OP, "tt", ARITH_T(F16), OP##_half, #OP "_%t", .may = ARITH_FTZ),                            \
      ROW(#OP, "tt", ARITH_T(BF16), OP##_half, #OP "_%t"),                                         \
      ROW(#OP, "tt", ARITH_T(F16X2), OP##_half2, #OP "_%t", .may = ARITH_FTZ),                     \
      ROW(#OP, "tt", ARITH_T(BF16X2), OP##_half2, #OP "_%t")

static const ArithRow rows[] = {
    SIMPLE(add),
    SIMPLE(sub),
    SIMPLE(mul),
    ROW("fma", "tttt", F16S, half_fma, "fma_%t", .may = ARITH_FTZ | ARITH_SAT, .rounds = RN),
    ROW("fma", "tttt", F16S, half_fma, NULL, .must = ARITH_RELU, .may = ARITH_FTZ, .rounds = RN),
    ROW("fma", "tttt", BF16S, half_fma, "fma_%t", .may = ARITH_RELU, .rounds = RN),
    MIN_MAX(min),
    MIN_MAX(max),
    SIGN(abs),
    SIGN(neg),
    ROW("ex2", "tt", F16S, half_ex2, NULL, .must = ARITH_APPROX),
    ROW("ex2", "tt", BF16S, half_ex2, NULL, .must = ARITH_APPROX | ARITH_FTZ),
    ROW("tanh", "tt", ARITH_HALVES, half_tanh, NULL, .must = ARITH_APPROX),
};

ArithTable arith_half_table(void) { return (ArithTable){rows, ARITH_COUNT(rows)}; }
