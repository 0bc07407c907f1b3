/* SPDX-License-Identifier: MIT */
#include "emu/arith/arith_cvt.h"

#include <math.h>

#include "emu/arith/arith_format.h"

static bool is_signed(unsigned type) {
  return (type >= ARITH_S8 && type <= ARITH_S64) || type == ARITH_S4 || type == ARITH_S2;
}

/* The low `bits` bits, extended to 64. */
static uint64_t extend(uint64_t x, unsigned bits, bool as_signed) {
  const uint64_t low = bits == 64 ? x : x & ((1ull << bits) - 1);
  const uint64_t sign = 1ull << (bits - 1);
  return as_signed ? (low ^ sign) - sign : low;
}

static uint64_t most(unsigned bits, bool as_signed) {
  return UINT64_MAX >> (64 - bits + (as_signed ? 1 : 0));
}

/* .sat: clamps x, read as a signed or unsigned 64-bit integer, to the type's range. */
static uint64_t clamp(uint64_t x, bool x_signed, unsigned bits, bool as_signed) {
  const uint64_t top = most(bits, as_signed);
  if (x_signed && (int64_t)x < 0) {
    if (!as_signed) return 0;
    return (int64_t)x < -(int64_t)top - 1 ? ~top : x;
  }
  return x > top ? top : x;
}

static uint32_t int_to_int(ARITH_PARAMS) {
  (void)mask;
  const unsigned from = arith_bits((ArithType)insn->src[0]), to = arith_bits((ArithType)insn->dst);
  const bool from_signed = is_signed(insn->src[0]), to_signed = is_signed(insn->dst);
  const bool saturate = (insn->flags & ARITH_SAT) != 0;
  FOR_LANES(i, active) {
    const uint64_t x = extend(s[0][i], from, from_signed);
    d[i] = saturate ? clamp(x, from_signed, to, to_signed) : extend(x, to, to_signed);
  }
  return 0;
}

static double integral(double x, ArithRound round) {
  switch (round) {
  case ARITH_RZI: return trunc(x);
  case ARITH_RMI: return floor(x);
  case ARITH_RPI: return ceil(x);
  default: return rint(x);
  }
}

/* The value of a float operand, after .ftz. Conversions to f16 keep subnormals, unless they
 * saturate [measured on an H200]. */
static double read_float(const ArithInsn *insn, const ArithFormat *format, uint64_t bits) {
  const bool keep = insn->dst == ARITH_F16 && (insn->flags & ARITH_SAT) == 0;
  const bool flush = (insn->flags & ARITH_FTZ) != 0 && insn->src[0] == ARITH_F32 && !keep;
  return arith_decode(format, flush ? arith_flush32((uint32_t)bits) : bits);
}

/* The ISA's result for NaN: 0, but only the top bit set for f64 or a 64-bit integer. */
static uint64_t nan_to_int(const ArithInsn *insn, unsigned bits) {
  return insn->src[0] == ARITH_F64 || bits == 64 ? 1ull << (bits - 1) : 0;
}

static uint64_t to_int(double x, unsigned bits, bool as_signed) {
  const double limit = as_signed ? ldexp(1, (int)bits - 1) : ldexp(1, (int)bits);
  if (x >= limit) return most(bits, as_signed);
  if (!as_signed) return x <= 0 ? 0 : (uint64_t)x;
  return x < -limit ? ~most(bits, true) : (uint64_t)(int64_t)x;
}

static uint32_t float_to_int(ARITH_PARAMS) {
  (void)mask;
  const ArithFormat *format = arith_format((ArithType)insn->src[0]);
  const unsigned bits = arith_bits((ArithType)insn->dst);
  const bool as_signed = is_signed(insn->dst);
  FOR_LANES(i, active) {
    const double x = read_float(insn, format, s[0][i]);
    const uint64_t result = x != x ? nan_to_int(insn, bits)
                                   : to_int(integral(x, (ArithRound)insn->round), bits, as_signed);
    d[i] = extend(result, bits, as_signed);
  }
  return 0;
}

static uint64_t finish_float(const ArithInsn *insn, const ArithFormat *format, double x) {
  if ((insn->flags & ARITH_SAT) != 0) x = arith_saturate(x);
  if ((insn->flags & ARITH_RELU) != 0 && x <= 0) x = 0;
  const bool finite = (insn->flags & ARITH_SATFINITE) != 0;
  const ArithRound round = insn->round >= ARITH_RNI ? ARITH_RN : (ArithRound)insn->round;
  const uint64_t bits = arith_encode(format, x, round, finite);
  const bool flush = (insn->flags & ARITH_FTZ) != 0 && insn->dst == ARITH_F32;
  return flush ? arith_flush32((uint32_t)bits) : bits;
}

static uint32_t int_to_float(ARITH_PARAMS) {
  (void)mask;
  const ArithFormat *format = arith_format((ArithType)insn->dst);
  const unsigned from = arith_bits((ArithType)insn->src[0]);
  const bool from_signed = is_signed(insn->src[0]), saturate = (insn->flags & ARITH_SAT) != 0;
  FOR_LANES(i, active) {
    const uint64_t x = extend(s[0][i], from, from_signed);
    const bool negative = from_signed && (int64_t)x < 0;
    const uint64_t magnitude = negative ? -x : x;
    d[i] = saturate ? finish_float(insn, format, magnitude == 0 || negative ? 0 : 1)
                    : arith_encode_int(format, magnitude, negative, (ArithRound)insn->round, false);
  }
  return 0;
}

/* Conversions from and to f64 keep the sign and the upper payload bits of a NaN, made quiet; but
 * .ftz of an f32 makes it canonical first [measured on an H200]. */
static uint64_t convert_nan(const ArithInsn *insn, const ArithFormat *from, const ArithFormat *to,
                            uint64_t bits) {
  const bool canonical = (insn->flags & ARITH_FTZ) != 0 && insn->src[0] == ARITH_F32;
  const uint64_t nan = canonical ? from->nan : bits, sign = nan >> (from->bits - 1) & 1;
  const uint64_t payload = nan << (64 - from->fraction) >> (64 - to->fraction);
  const uint64_t quiet = 1ull << (to->fraction - 1);
  return sign << (to->bits - 1) | (to->max + 1) | payload | quiet;
}

static uint32_t float_to_float(ARITH_PARAMS) {
  (void)mask;
  const ArithFormat *from = arith_format((ArithType)insn->src[0]);
  const ArithFormat *to = arith_format((ArithType)insn->dst);
  const bool to_integral = insn->round >= ARITH_RNI;
  const bool keeps_nan =
      (from->bits == 64 || to->bits == 64) && (insn->flags & (ARITH_SAT | ARITH_RELU)) == 0;
  FOR_LANES(i, active) {
    const double x = read_float(insn, from, s[0][i]);
    d[i] = x != x && keeps_nan
               ? convert_nan(insn, from, to, s[0][i])
               : finish_float(insn, to, to_integral ? integral(x, (ArithRound)insn->round) : x);
  }
  return 0;
}

/* Converts two scalars into a pair; the first operand becomes the upper half. */
static uint32_t floats_to_pair(ARITH_PARAMS) {
  (void)mask;
  const ArithFormat *from = arith_format((ArithType)insn->src[0]);
  const ArithFormat *to = arith_format((ArithType)insn->dst);
  FOR_LANES(i, active) {
    const uint64_t upper = finish_float(insn, to, read_float(insn, from, s[0][i]));
    const uint64_t lower = finish_float(insn, to, read_float(insn, from, s[1][i]));
    d[i] = upper << to->bits | lower;
  }
  return 0;
}

static uint32_t pair_to_pair(ARITH_PARAMS) {
  (void)mask;
  const ArithFormat *from = arith_format((ArithType)insn->src[0]);
  const ArithFormat *to = arith_format((ArithType)insn->dst);
  const uint64_t part = (1ull << from->bits) - 1;
  FOR_LANES(i, active) {
    const uint64_t upper = finish_float(insn, to, arith_decode(from, s[0][i] >> from->bits & part));
    const uint64_t lower = finish_float(insn, to, arith_decode(from, s[0][i] & part));
    d[i] = upper << to->bits | lower;
  }
  return 0;
}

/* cvt.pack.sat: clamps a and b into d's low elements, a above b, and shifts c up above both. */
static uint32_t pack(ARITH_PARAMS) {
  (void)mask;
  const unsigned bits = arith_bits((ArithType)insn->mode);
  const bool as_signed = is_signed(insn->mode);
  const uint64_t element = most(bits, false);
  FOR_LANES(i, active) {
    const uint64_t a = clamp(extend(s[0][i], 32, true), true, bits, as_signed) & element;
    const uint64_t b = clamp(extend(s[1][i], 32, true), true, bits, as_signed) & element;
    const uint64_t c = insn->n_src > 2 ? s[2][i] << (2 * bits) : 0;
    d[i] = (uint32_t)(c | a << bits | b);
  }
  return 0;
}

static int32_t truncate_s32(float x) {
  if (x >= 0x1p31f) return INT32_MAX;
  if (x < -0x1p31f) return INT32_MIN;
  return x == x ? (int32_t)x : 0;
}

/* Loops for the most frequent conversions, without the general path's decisions. */
#define FAST(NAME, EXPR)                                                                           \
  static uint32_t NAME(ARITH_PARAMS) {                                                             \
    ARITH_UNUSED;                                                                                  \
    ARITH_EACH(i, active, { d[i] = EXPR; })                                                        \
    return 0;                                                                                      \
  }
FAST(zero_extend_32, (uint32_t)s[0][i])
FAST(sign_extend_32, (uint64_t)(int64_t)(int32_t)(uint32_t)s[0][i])
FAST(s32_to_f32, arith_f32_bits((float)(int32_t)(uint32_t)s[0][i]))
FAST(u32_to_f32, arith_f32_bits((float)(uint32_t)s[0][i]))
FAST(s32_to_f64, arith_f64_bits((double)(int32_t)(uint32_t)s[0][i]))
FAST(u32_to_f64, arith_f64_bits((double)(uint32_t)s[0][i]))
FAST(f32_to_f64, arith_f64_bits((double)arith_f32(s[0][i])))
FAST(f64_to_f32, arith_f32_bits((float)arith_f64(s[0][i])))
FAST(copy_64, s[0][i])
FAST(f16_to_f32, arith_f32_result((float)arith_decode(arith_format(ARITH_F16), s[0][i] & 0xffff)))
FAST(f32_to_s32, (uint64_t)(int64_t)truncate_s32(arith_f32(s[0][i])))
/* A bf16 is the upper half of an f32, so that a NaN keeps its payload. */
FAST(bf16_to_f32, (s[0][i] & 0xffff) << 16)

/* Ties are rounded away from zero, up to infinity; a NaN is truncated [measured on an H200]. */
static inline uint32_t to_tf32(uint32_t x) {
  return ((x & INT32_MAX) > 0x7f800000 ? x : x + 0x1000) & ~0x1fffu;
}
/* Infinity becomes the largest finite number, and a NaN likewise [measured on an H200]. */
static inline uint32_t to_finite_tf32(uint32_t x) {
  const uint32_t rounded = to_tf32(x);
  return (rounded & INT32_MAX) >= 0x7f800000 ? rounded - 0x2000 : rounded;
}
FAST(f32_to_tf32, to_tf32((uint32_t)s[0][i]))
FAST(f32_to_finite_tf32, to_finite_tf32((uint32_t)s[0][i]))

#define INTS                                                                                       \
  (ARITH_T(U8) | ARITH_T(U16) | ARITH_T(U32) | ARITH_T(U64) | ARITH_T(S8) | ARITH_T(S16) |         \
   ARITH_T(S32) | ARITH_T(S64))
#define S16_S32   (ARITH_T(S16) | ARITH_T(S32))
#define ANY16     (ARITH_T(U16) | ARITH_T(S16))
#define ANY32     (ARITH_T(U32) | ARITH_T(S32))
#define ANY64     (ARITH_T(U64) | ARITH_T(S64))
#define SINGLE    ARITH_T(F32)
#define DOUBLE    ARITH_T(F64)
#define HALF      (ARITH_T(F16) | ARITH_T(BF16))
#define HALF2     (ARITH_T(F16X2) | ARITH_T(BF16X2))
#define NARROW    (ARITH_T(E4M3X2) | ARITH_T(E5M2X2) | ARITH_T(E2M1X2))
#define F8X2      (ARITH_T(E4M3X2) | ARITH_T(E5M2X2))
#define FLOATS    (HALF | SINGLE | DOUBLE)
#define NONE      (1u << ARITH_ROUND_NONE)
#define RN        (1u << ARITH_RN)
#define RNA       (1u << ARITH_RNA)
#define RZI       (1u << ARITH_RZI)
#define RN_RZ     (RN | 1u << ARITH_RZ)
#define FRACTION  (ARITH_ANY_ROUND & ~NONE)
#define INTEGRAL  (1u << ARITH_RNI | RZI | 1u << ARITH_RMI | 1u << ARITH_RPI)
#define FTZ_SAT   (ARITH_FTZ | ARITH_SAT)
#define CLAMPS    (ARITH_RELU | ARITH_SATFINITE)
#define SATFINITE ARITH_SATFINITE

/* cvt from SRC to DST. */
#define CVT(DST, SRC, FN, ...) ROW("cvt", "ts", DST, FN, __VA_ARGS__, .from = SRC)
/* A type to itself takes only roundings to integral values. */
#define SAME(TYPE)                                                                                 \
  CVT(ARITH_T(TYPE), ARITH_T(TYPE), float_to_float, NULL, .may = FTZ_SAT, .rounds = NONE | INTEGRAL)

/* The most frequent conversions come first, then the general ones. */
static const ArithRow rows[] = {
    CVT(ARITH_T(U32), ANY64, zero_extend_32, "narrow_64",
        .what = "the value in another type; .pack packs two integers"),
    CVT(ARITH_T(S32), ANY64, int_to_int, "narrow_64"),
    CVT(ANY64, ARITH_T(U32), zero_extend_32, "widen_%s"),
    CVT(ANY64, ARITH_T(S32), sign_extend_32, "widen_%s"),
    CVT(ANY32, ARITH_T(U16), int_to_int, "zero_16"),
    CVT(ARITH_T(U16), ANY32, int_to_int, "zero_16"),
    CVT(ANY32, ARITH_T(S16), int_to_int, "sign_16"),
    CVT(ARITH_T(S16), ANY32, int_to_int, "sign_16"),
    CVT(ANY16 | ANY32, ARITH_T(U8), int_to_int, "zero_8"),
    CVT(S16_S32, ARITH_T(S8), int_to_int, "sign_8"),
    CVT(ARITH_T(U8), ANY16 | ANY32, int_to_int, "zero_8"),
    CVT(ARITH_T(S8), ANY16 | ANY32, int_to_int, "sign_8"),
    CVT(ANY64, ANY16 | ARITH_T(U8) | ARITH_T(S8), int_to_int, "widen_%s"),
    CVT(ANY16 | ARITH_T(U8), ANY64, int_to_int, "narrow_%t"),
    CVT(SINGLE, ARITH_T(S32), s32_to_f32, "s32_to_f32", .rounds = RN),
    CVT(SINGLE, ARITH_T(U32), u32_to_f32, "u32_to_f32", .rounds = RN),
    CVT(DOUBLE, ARITH_T(S32), s32_to_f64, "s32_to_f64", .rounds = RN),
    CVT(DOUBLE, ARITH_T(U32), u32_to_f64, "u32_to_f64", .rounds = RN),
    CVT(DOUBLE, SINGLE, f32_to_f64, "f32_to_f64"),
    CVT(SINGLE, DOUBLE, f64_to_f32, "f64_to_f32", .rounds = RN),
    /* ptxas accepts a rounding of bf16 that has no effect, and none between f16 and bf16. */
    CVT(SINGLE, ARITH_T(BF16), bf16_to_f32, "bf16_to_f32", .rounds = ARITH_ANY_ROUND),
    CVT(SINGLE, ARITH_T(F16), f16_to_f32, "f16_to_f32"),
    CVT(ARITH_T(S32), SINGLE, f32_to_s32, "rzi_s32", .rounds = RZI),
    CVT(ARITH_T(U32), SINGLE, float_to_int, "rzi_u32", .rounds = RZI),
    CVT(ARITH_T(S32), SINGLE, float_to_int, "%r_s32", .rounds = INTEGRAL & ~RZI),
    CVT(ARITH_T(TF32), SINGLE, f32_to_tf32, "f32_to_tf32", .rounds = RNA),
    CVT(SINGLE, SINGLE, zero_extend_32, NULL),
    CVT(SINGLE, SINGLE, float_to_float, "%r_f32", .may = FTZ_SAT, .rounds = INTEGRAL),
    CVT(DOUBLE, DOUBLE, copy_64, NULL),
    CVT(INTS, INTS, int_to_int, NULL, .may = ARITH_SAT),
    CVT(INTS, FLOATS, float_to_int, NULL, .may = FTZ_SAT, .rounds = INTEGRAL),
    CVT(FLOATS, INTS, int_to_float, NULL, .may = FTZ_SAT, .rounds = FRACTION),
    SAME(F16),
    SAME(BF16),
    SAME(F32),
    SAME(F64),
    CVT(SINGLE | DOUBLE, ARITH_T(F16), float_to_float, NULL, .may = FTZ_SAT),
    CVT(DOUBLE, SINGLE, float_to_float, NULL, .may = FTZ_SAT),
    CVT(SINGLE | DOUBLE, ARITH_T(BF16), float_to_float, NULL, .may = FTZ_SAT,
        .rounds = ARITH_ANY_ROUND),
    CVT(ARITH_T(F16), ARITH_T(BF16), float_to_float, NULL, .may = FTZ_SAT,
        .rounds = ARITH_ANY_ROUND),
    CVT(ARITH_T(BF16), ARITH_T(F16), float_to_float, NULL, .may = FTZ_SAT,
        .rounds = ARITH_ANY_ROUND),
    CVT(HALF, SINGLE, float_to_float, "f32_to_%t", .may = CLAMPS, .rounds = RN_RZ),
    CVT(HALF, SINGLE | DOUBLE, float_to_float, NULL, .may = FTZ_SAT, .rounds = FRACTION),
    CVT(SINGLE, DOUBLE, float_to_float, NULL, .may = FTZ_SAT, .rounds = FRACTION),
    CVT(ARITH_T(TF32), SINGLE, f32_to_finite_tf32, NULL, .must = SATFINITE, .rounds = RNA),
    CVT(ARITH_T(TF32), SINGLE, float_to_float, NULL, .may = CLAMPS, .rounds = RN_RZ),
    ROW("cvt", "tss", HALF2, floats_to_pair, "f32_to_%t", .from = SINGLE, .may = CLAMPS,
        .rounds = RN_RZ),
    ROW("cvt", "tss", NARROW, floats_to_pair, NULL, .from = SINGLE, .must = SATFINITE,
        .may = ARITH_RELU, .rounds = RN),
    CVT(F8X2, HALF2, pair_to_pair, NULL, .must = SATFINITE, .may = ARITH_RELU, .rounds = RN),
    CVT(ARITH_T(F16X2), NARROW, pair_to_pair, NULL, .may = ARITH_RELU, .rounds = RN),
    CVT(ARITH_T(BF16X2), NARROW, pair_to_pair, NULL, .may = CLAMPS, .rounds = RN),
    ROW("cvt", "bss", ANY16, pack, NULL, .from = ARITH_T(S32), .must = ARITH_PACK | ARITH_SAT),
    ROW("cvt", "bssb",
        ARITH_T(U8) | ARITH_T(S8) | ARITH_T(U4) | ARITH_T(S4) | ARITH_T(U2) | ARITH_T(S2), pack,
        NULL, .from = ARITH_T(S32), .third = ARITH_T(B32), .must = ARITH_PACK | ARITH_SAT),
};

ArithTable arith_cvt_table(void) { return (ArithTable){rows, ARITH_COUNT(rows)}; }
