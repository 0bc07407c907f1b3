/* SPDX-License-Identifier: MIT */
/* The approximate instructions. The ISA bounds their error and fixes the special cases. All except
 * sin and cos are computed in double and rounded to the result, well within every bound. The bounds
 * are relative: rcp, sqrt 2^-23, rsqrt 2^-22.9, ex2, lg2 2^-22, tanh 2^-11; div.approx and div.full
 * 2 ulp. For sin and cos the bound is 2^-20.5 (absolute, up to 2 pi), and their error is at most
 * 2^-20.6. */
#include "emu/arith/arith_approx.h"

#include <math.h>

#include "emu/arith/arith_format.h"

typedef double (*ApproxOp)(double a, double b);

static uint32_t run(const ArithInsn *insn, uint64_t *d, const uint64_t *const *s, uint32_t active,
                    ApproxOp op) {
  const bool ftz = (insn->flags & ARITH_FTZ) != 0, binary = insn->n_src > 1;
  FOR_LANES(i, active) {
    const uint32_t a = (uint32_t)s[0][i], b = binary ? (uint32_t)s[1][i] : 0;
    const double x = (double)arith_f32(ftz ? arith_flush32(a) : a);
    const double y = (double)arith_f32(ftz ? arith_flush32(b) : b);
    const uint32_t bits = (uint32_t)arith_f32_result((float)op(x, y));
    d[i] = ftz ? arith_flush32(bits) : bits;
  }
  return 0;
}

/* sin and cos first divide by 2 pi: an H200 multiplies by the f32 just below 1 / (2 pi), towards
 * zero, and keeps 25 bits of the fraction; for more than 2^23 periods no fraction is left.
 * Measured: 4,096 operands, 784 of them from 2 pi to 4e7 and more above, differ by at most 2^-21.5.
 * Above 2^23 periods the sine of the operand itself is unrelated to the result. */
static double fraction_of_turns(double radians) {
  const double bits = 0x1p25;
  const uint64_t beyond_f32 = (1ull << 29) - 1;
  const double turns = arith_f64(arith_f64_bits(radians * 0x1.45f306p-3) & ~beyond_f32);
  return floor((turns - floor(turns)) * bits) / bits;
}

static double wave(double turns) {
  const double pi = 0x1.921fb54442d18p+1, fraction = turns - floor(turns);
  return fraction < 0.5 ? sin(2 * pi * fraction) : -sin(2 * pi * (fraction - 0.5));
}

static double sine(double a) {
  const double magnitude = wave(fraction_of_turns(fabs(a)));
  return signbit(a) ? -magnitude : magnitude;
}

static double cosine(double a) { return wave(fraction_of_turns(fabs(a)) + 0.25); }

/* a * (1 / b). The reciprocal of b above 2^126 is flushed to zero, so that inf / b is NaN there. */
static double divide_approx(double a, double b) {
  return fabs(b) > 0x1p126 ? a * copysign(0, b) : a / b;
}

#define APPROX_FN(NAME, EXPR)                                                                      \
  static double NAME##_op(double a, double b) {                                                    \
    (void)a, (void)b;                                                                              \
    return EXPR;                                                                                   \
  }                                                                                                \
  static uint32_t NAME(ARITH_PARAMS) {                                                             \
    (void)mask;                                                                                    \
    return run(insn, d, s, active, NAME##_op);                                                     \
  }
APPROX_FN(ex2_f32, exp2(a))
APPROX_FN(lg2_f32, log2(a))
APPROX_FN(sin_f32, sine(a))
APPROX_FN(cos_f32, cosine(a))
APPROX_FN(tanh_f32, tanh(a))
APPROX_FN(rcp_f32, 1 / a)
APPROX_FN(sqrt_f32, sqrt(a))
APPROX_FN(rsqrt_f32, 1 / sqrt(a))
APPROX_FN(div_approx, divide_approx(a, b))
APPROX_FN(div_full, a / b)

static double flush64(double x) { return fabs(x) < 0x1p-1022 ? copysign(0, x) : x; }

/* .approx.ftz.f64 reads and writes only the upper 32 bits, and has a single NaN. */
static double upper(double x) { return arith_f64(arith_f64_bits(x) & 0xffffffff00000000); }
static uint64_t gross(double x) { return x == x ? arith_f64_bits(upper(x)) : 0x7fffffff00000000; }

static uint32_t rcp_gross(ARITH_PARAMS) {
  ARITH_UNUSED;
  FOR_LANES(i, active) d[i] = gross(flush64(1 / flush64(upper(arith_f64(s[0][i])))));
  return 0;
}

static uint32_t rsqrt_gross(ARITH_PARAMS) {
  ARITH_UNUSED;
  FOR_LANES(i, active) d[i] = gross(1 / sqrt(flush64(upper(arith_f64(s[0][i])))));
  return 0;
}

static uint32_t rsqrt_f64(ARITH_PARAMS) {
  ARITH_UNUSED;
  FOR_LANES(i, active) d[i] = arith_f64_bits(1 / sqrt(arith_f64(s[0][i])));
  return 0;
}

#define UNARY(OP, NATIVE, WHAT)                                                                    \
  ROW(#OP, "tt", ARITH_T(F32), OP##_f32, NATIVE, .must = ARITH_APPROX, .may = ARITH_FTZ,           \
      .what = WHAT)

static const ArithRow rows[] = {
    UNARY(ex2, NULL, "2 to the power of a"),
    UNARY(lg2, NULL, "the logarithm to base 2"),
    UNARY(sin, NULL, "the sine"),
    UNARY(cos, NULL, "the cosine"),
    UNARY(rcp, "rcp_f32", NULL),
    UNARY(sqrt, "sqrt_f32", NULL),
    UNARY(rsqrt, "rsqrt_f32", "1 / the square root"),
    ROW("tanh", "tt", ARITH_T(F32), tanh_f32, NULL, .what = "the hyperbolic tangent",
        .must = ARITH_APPROX),
    ROW("div", "ttt", ARITH_T(F32), div_approx, NULL, .must = ARITH_APPROX, .may = ARITH_FTZ),
    ROW("div", "ttt", ARITH_T(F32), div_full, "div_f32", .must = ARITH_FULL, .may = ARITH_FTZ),
    ROW("rcp", "tt", ARITH_T(F64), rcp_gross, NULL, .must = ARITH_APPROX | ARITH_FTZ),
    ROW("rsqrt", "tt", ARITH_T(F64), rsqrt_gross, NULL, .must = ARITH_APPROX | ARITH_FTZ),
    ROW("rsqrt", "tt", ARITH_T(F64), rsqrt_f64, NULL, .must = ARITH_APPROX),
};

ArithTable arith_approx_table(void) { return (ArithTable){rows, ARITH_COUNT(rows)}; }
