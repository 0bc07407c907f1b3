/* SPDX-License-Identifier: MIT */
/* f16 and bf16, single and packed: rounded once, as in arith_half.c. */
#ifndef KGEN_EMU_TRANSLATE_PRELUDE_HALVES_H
#define KGEN_EMU_TRANSLATE_PRELUDE_HALVES_H

INLINE R32 pack_16(R32 low, R32 high) { return or_32(zero_16(low), shl_32(high, all_32(16))); }
INLINE R32 upper_16(R32 x) { return shr_u32(x, all_32(16)); }

/* --- to and from floats --- */

#define F16_TO_F32(X) SIMD(castps_si512)(SIMD(cvtph_ps)(SIMD(cvtepi32_epi16)(X)))
#define F32_TO_F16(X) SIMD(cvtepu16_epi32)(SIMD(cvtps_ph)(FLOATS(X), _MM_FROUND_TO_NEAREST_INT))
UNARY32(wide_f16, F16_TO_F32)
UNARY32(round_to_f16, F32_TO_F16)
INLINE R32 unless_nan_16(R32 x, R32 result) {
  return select_32(all_32(0x7fff), result, setp_nan_f32(x, x));
}
INLINE R32 f16_to_f32(R32 x) { return canonical_f32(wide_f16(x)); }
INLINE R32 f32_to_f16(R32 x) { return unless_nan_16(x, round_to_f16(x)); }
INLINE R32 f32_to_bf16(R32 x) {
  const R32 half = add_32(all_32(0x7fff), and_32(upper_16(x), all_32(1)));
  return unless_nan_16(x, upper_16(add_32(x, half)));
}
/* The first operand becomes the upper half. */
INLINE R32 f32_to_f16x2(R32 x, R32 y) { return pack_16(f32_to_f16(y), f32_to_f16(x)); }
INLINE R32 f32_to_bf16x2(R32 x, R32 y) { return pack_16(f32_to_bf16(y), f32_to_bf16(x)); }

/* --- rounding to odd: rounding the result again, to fewer bits, equals rounding once --- */

#define SUM_F32(X, Y)        SIMD(castps_si512)(SIMD(add_ps)(FLOATS(X), FLOATS(Y)))
#define DIFFERENCE_F32(X, Y) SIMD(castps_si512)(SIMD(sub_ps)(FLOATS(X), FLOATS(Y)))
#define PRODUCT_F32(X, Y)    SIMD(castps_si512)(SIMD(mul_ps)(FLOATS(X), FLOATS(Y)))
BINARY32(sum_f32, SUM_F32)
BINARY32(difference_f32, DIFFERENCE_F32)
BINARY32(product_f32, PRODUCT_F32)
BINARY64(sum_f64, ADD_F64)
BINARY64(difference_f64, SUB_F64)
BINARY64(product_f64, MUL_F64)

/* Makes the sum odd if it is inexact; `rest` is the remainder, whose sign decides the direction. */
INLINE R32 odd_32(R32 sum, R32 rest, uint32_t inexact) {
  const R32 step = or_32(shr_s32(xor_32(sum, rest), all_32(31)), all_32(1));
  const uint32_t even = setp_eq_u32(and_32(sum, all_32(1)), all_32(0));
  return select_32(add_32(sum, step), sum, even & inexact);
}
INLINE R64 odd_64(R64 sum, R64 rest, uint32_t inexact) {
  const R64 step = or_64(shift_signed(xor_64(sum, rest), all_64(63)), all_64(1));
  const uint32_t even = setp_eq_u64(and_64(sum, all_64(1)), all_64(0));
  return select_64(add_64(sum, step), sum, even & inexact);
}
#define ADD_ODD(R, OF)                                                                             \
  INLINE R add_odd_f##OF(R x, R y) {                                                               \
    const R sum = sum_f##OF(x, y), of_y = difference_f##OF(sum, x);                                \
    const R of_x = difference_f##OF(sum, of_y);                                                    \
    const R rest = sum_f##OF(difference_f##OF(x, of_x), difference_f##OF(y, of_y));                \
    return odd_##OF(sum, rest, setp_ne_f##OF(rest, all_##OF(0)));                                  \
  }
ADD_ODD(R32, 32)
ADD_ODD(R64, 64)
INLINE R32 odd_f64_to_f32(R64 x) {
  const R32 near = f64_to_f32(x);
  const R64 rest = difference_f64(x, f32_to_f64(near));
  return odd_32(near, upper_32(rest), setp_ne_f64(rest, all_64(0)));
}

/* --- single values: a product is exact in f32, except bf16 products that become 0 either way; fma
 * is rounded to odd in f64, and sums of f16 in f32 --- */

#define OF_F16(NAME, OF_FLOATS)                                                                    \
  INLINE R32 NAME##_f16(R32 x, R32 y) { return f32_to_f16(OF_FLOATS(wide_f16(x), wide_f16(y))); }
#define OF_BF16(NAME, OF_FLOATS)                                                                   \
  INLINE R32 NAME##_bf16(R32 x, R32 y) {                                                           \
    return f32_to_bf16(OF_FLOATS(bf16_to_f32(x), bf16_to_f32(y)));                                 \
  }
OF_F16(add, sum_f32)
OF_F16(sub, difference_f32)
OF_F16(mul, product_f32)
OF_F16(min, min_f32)
OF_F16(max, max_f32)
OF_BF16(add, sum_f32)
OF_BF16(sub, difference_f32)
OF_BF16(mul, product_f32)
OF_BF16(min, min_f32)
OF_BF16(max, max_f32)
INLINE R64 wide_bf16(R32 x) { return f32_to_f64(bf16_to_f32(x)); }
INLINE R64 product_bf16(R32 x, R32 y) { return product_f64(wide_bf16(x), wide_bf16(y)); }
INLINE R32 fma_f16(R32 x, R32 y, R32 z) {
  return f32_to_f16(add_odd_f32(product_f32(wide_f16(x), wide_f16(y)), wide_f16(z)));
}
INLINE R32 fma_bf16(R32 x, R32 y, R32 z) {
  return f32_to_bf16(odd_f64_to_f32(add_odd_f64(product_bf16(x, y), wide_bf16(z))));
}

/* --- pairs --- */

#define PAIR_OF_16(NAME)                                                                           \
  INLINE R32 NAME##x2(R32 x, R32 y) { return pack_16(NAME(x, y), NAME(upper_16(x), upper_16(y))); }
PAIR_OF_16(add_f16)
PAIR_OF_16(sub_f16)
PAIR_OF_16(mul_f16)
PAIR_OF_16(min_f16)
PAIR_OF_16(max_f16)
PAIR_OF_16(add_bf16)
PAIR_OF_16(sub_bf16)
PAIR_OF_16(mul_bf16)
PAIR_OF_16(min_bf16)
PAIR_OF_16(max_bf16)
INLINE R32 fma_f16x2(R32 x, R32 y, R32 z) {
  return pack_16(fma_f16(x, y, z), fma_f16(upper_16(x), upper_16(y), upper_16(z)));
}
INLINE R32 fma_bf16x2(R32 x, R32 y, R32 z) {
  return pack_16(fma_bf16(x, y, z), fma_bf16(upper_16(x), upper_16(y), upper_16(z)));
}

/* --- signs, which make NaNs canonical, and comparisons --- */

#define SIGN_OF_16(TYPE, WIDE)                                                                     \
  INLINE R32 abs_##TYPE(R32 x) { return unless_nan_16(WIDE(x), and_32(x, all_32(0x7fff))); }       \
  INLINE R32 neg_##TYPE(R32 x) {                                                                   \
    return unless_nan_16(WIDE(x), zero_16(xor_32(x, all_32(0x8000))));                             \
  }                                                                                                \
  INLINE R32 abs_##TYPE##x2(R32 x) { return pack_16(abs_##TYPE(x), abs_##TYPE(upper_16(x))); }     \
  INLINE R32 neg_##TYPE##x2(R32 x) { return pack_16(neg_##TYPE(x), neg_##TYPE(upper_16(x))); }
SIGN_OF_16(f16, wide_f16)
SIGN_OF_16(bf16, bf16_to_f32)

#define COMPARE_HALF(OP)                                                                           \
  INLINE uint32_t setp_##OP##_f16(R32 x, R32 y) {                                                  \
    return setp_##OP##_f32(wide_f16(x), wide_f16(y));                                              \
  }                                                                                                \
  INLINE uint32_t setp_##OP##_bf16(R32 x, R32 y) {                                                 \
    return setp_##OP##_f32(bf16_to_f32(x), bf16_to_f32(y));                                        \
  }
COMPARE_HALF(eq)
COMPARE_HALF(ne)
COMPARE_HALF(lt)
COMPARE_HALF(le)
COMPARE_HALF(gt)
COMPARE_HALF(ge)
COMPARE_HALF(equ)
COMPARE_HALF(neu)
COMPARE_HALF(ltu)
COMPARE_HALF(leu)
COMPARE_HALF(gtu)
COMPARE_HALF(geu)
COMPARE_HALF(num)
COMPARE_HALF(nan)

#endif
