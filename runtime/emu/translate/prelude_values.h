/* SPDX-License-Identifier: MIT */
/* Values of 32 lanes in vectors, and the operations on them. Results are bit-identical to
 * arith/; tests/device/native_test.c compares them. In a register of 16 bits the upper bits are
 * zero, or copies of the sign, as there. */
#ifndef KGEN_EMU_TRANSLATE_PRELUDE_VALUES_H
#define KGEN_EMU_TRANSLATE_PRELUDE_VALUES_H

#define EVERY 0xffffffffu

typedef struct {
  V a, b;
} R32; /* 32-bit values of 32 lanes */
typedef struct {
  V a, b, c, d;
} R64;

/* --- to and from registers in memory --- */

INLINE __m256i low_half(V x) { return SIMD(castsi512_si256)(x); }
INLINE __m256i high_half(V x) { return SIMD(extracti64x4_epi64)(x, 1); }
INLINE V join_halves(__m256i low, __m256i high) {
  return SIMD(inserti64x4)(SIMD(castsi256_si512)(low), high, 1);
}
INLINE R64 widen_u32(R32 x) {
  return (R64){SIMD(cvtepu32_epi64)(low_half(x.a)), SIMD(cvtepu32_epi64)(high_half(x.a)),
               SIMD(cvtepu32_epi64)(low_half(x.b)), SIMD(cvtepu32_epi64)(high_half(x.b))};
}
INLINE R64 widen_s32(R32 x) {
  return (R64){SIMD(cvtepi32_epi64)(low_half(x.a)), SIMD(cvtepi32_epi64)(high_half(x.a)),
               SIMD(cvtepi32_epi64)(low_half(x.b)), SIMD(cvtepi32_epi64)(high_half(x.b))};
}
INLINE R32 narrow_64(R64 x) {
  return (R32){join_halves(SIMD(cvtepi64_epi32)(x.a), SIMD(cvtepi64_epi32)(x.b)),
               join_halves(SIMD(cvtepi64_epi32)(x.c), SIMD(cvtepi64_epi32)(x.d))};
}
INLINE R64 get_64(const uint64_t *r) {
  return (R64){SIMD(loadu_si512)(r), SIMD(loadu_si512)(r + 8), SIMD(loadu_si512)(r + 16),
               SIMD(loadu_si512)(r + 24)};
}
INLINE void put_64(uint64_t *r, R64 x) {
  SIMD(storeu_si512)(r, x.a);
  SIMD(storeu_si512)(r + 8, x.b);
  SIMD(storeu_si512)(r + 16, x.c);
  SIMD(storeu_si512)(r + 24, x.d);
}
INLINE R32 get_32(const uint64_t *r) { return narrow_64(get_64(r)); }
INLINE void put_32(uint64_t *r, R32 x) { put_64(r, widen_u32(x)); }
INLINE R32 all_32(uint64_t value) {
  const V v = SIMD(set1_epi32)((int)(uint32_t)value);
  return (R32){v, v};
}
INLINE R64 all_64(uint64_t value) {
  const V v = SIMD(set1_epi64)((long long)value);
  return (R64){v, v, v, v};
}

/* --- functions of each vector --- */

#define EACH32_1(F) ((R32){F(x.a), F(x.b)})
#define EACH32_2(F) ((R32){F(x.a, y.a), F(x.b, y.b)})
#define EACH32_3(F) ((R32){F(x.a, y.a, z.a), F(x.b, y.b, z.b)})
#define EACH64_1(F) ((R64){F(x.a), F(x.b), F(x.c), F(x.d)})
#define EACH64_2(F) ((R64){F(x.a, y.a), F(x.b, y.b), F(x.c, y.c), F(x.d, y.d)})
#define EACH64_3(F) ((R64){F(x.a, y.a, z.a), F(x.b, y.b, z.b), F(x.c, y.c, z.c), F(x.d, y.d, z.d)})
#define UNARY32(N, F)                                                                              \
  INLINE R32 N(R32 x) { return EACH32_1(F); }
#define BINARY32(N, F)                                                                             \
  INLINE R32 N(R32 x, R32 y) { return EACH32_2(F); }
#define TERNARY32(N, F)                                                                            \
  INLINE R32 N(R32 x, R32 y, R32 z) { return EACH32_3(F); }
#define UNARY64(N, F)                                                                              \
  INLINE R64 N(R64 x) { return EACH64_1(F); }
#define BINARY64(N, F)                                                                             \
  INLINE R64 N(R64 x, R64 y) { return EACH64_2(F); }
/* Builds lane sets as masks: gcc 12 otherwise stores 16 bits of a set that it widens as an integer
 * without a register, and loads 32. */
#define MASK32(A, B)       ((uint32_t)SIMD(kunpackw)((__mmask32)(B), (__mmask32)(A)))
#define MASK64(A, B, C, D) MASK32(SIMD(kunpackb)(B, A), SIMD(kunpackb)(D, C))
#define TEST32(F)          MASK32(F(x.a, y.a), F(x.b, y.b))
#define TEST64(F)          MASK64(F(x.a, y.a), F(x.b, y.b), F(x.c, y.c), F(x.d, y.d))

INLINE R32 select_32(R32 x, R32 y, uint32_t p) {
  return (R32){SIMD(mask_blend_epi32)((__mmask16)p, y.a, x.a),
               SIMD(mask_blend_epi32)((__mmask16)(p >> 16), y.b, x.b)};
}
INLINE R64 select_64(R64 x, R64 y, uint32_t p) {
  return (R64){SIMD(mask_blend_epi64)((__mmask8)p, y.a, x.a),
               SIMD(mask_blend_epi64)((__mmask8)(p >> 8), y.b, x.b),
               SIMD(mask_blend_epi64)((__mmask8)(p >> 16), y.c, x.c),
               SIMD(mask_blend_epi64)((__mmask8)(p >> 24), y.d, x.d)};
}
/* Stores only the lanes in m; other lanes keep their registers. */
INLINE void keep_64(uint64_t *r, R64 x, uint32_t m) {
  SIMD(mask_storeu_epi64)(r, (__mmask8)m, x.a);
  SIMD(mask_storeu_epi64)(r + 8, (__mmask8)(m >> 8), x.b);
  SIMD(mask_storeu_epi64)(r + 16, (__mmask8)(m >> 16), x.c);
  SIMD(mask_storeu_epi64)(r + 24, (__mmask8)(m >> 24), x.d);
}
INLINE void keep_32(uint64_t *r, R32 x, uint32_t m) { keep_64(r, widen_u32(x), m); }

#define OFTEN(X) __builtin_expect(!!(X), 1)

/* Makes the lanes outside m repeat the last lane in m: they then read valid memory, and write the
 * value that is written there last. */
static __attribute__((noinline)) void follow_32(R32 *x, uint32_t m) {
  uint32_t lane[32];
  SIMD(storeu_si512)(lane, x->a);
  SIMD(storeu_si512)(lane + 16, x->b);
  *x = select_32(*x, all_32(lane[31 - __builtin_clz(m)]), m);
}
static __attribute__((noinline)) void follow_64(R64 *x, uint32_t m) {
  uint64_t lane[32];
  put_64(lane, *x);
  *x = select_64(*x, all_64(lane[31 - __builtin_clz(m)]), m);
}
INLINE R32 live_32(R32 x, uint32_t m) {
  if (!OFTEN(m == EVERY)) follow_32(&x, m);
  return x;
}
INLINE R64 live_64(R64 x, uint32_t m) {
  if (!OFTEN(m == EVERY)) follow_64(&x, m);
  return x;
}

INLINE R32 copy_32(R32 x) { return x; }
INLINE R64 copy_64(R64 x) { return x; }

INLINE R32 shuffle_32(R32 x, V low, V high) {
  return (R32){SIMD(permutex2var_epi32)(x.a, low, x.b), SIMD(permutex2var_epi32)(x.a, high, x.b)};
}

/* --- integers --- */

BINARY32(add_32, SIMD(add_epi32))
BINARY32(sub_32, SIMD(sub_epi32))
BINARY32(mul_32, SIMD(mullo_epi32))
BINARY32(and_32, SIMD(and_si512))
BINARY32(or_32, SIMD(or_si512))
BINARY32(xor_32, SIMD(xor_si512))
BINARY32(shl_32, SIMD(sllv_epi32))
BINARY32(shr_u32, SIMD(srlv_epi32))
BINARY32(shr_s32, SIMD(srav_epi32))
BINARY32(min_s32, SIMD(min_epi32))
BINARY32(max_s32, SIMD(max_epi32))
BINARY32(min_u32, SIMD(min_epu32))
BINARY32(max_u32, SIMD(max_epu32))
UNARY32(abs_s32, SIMD(abs_epi32))
BINARY64(add_64, SIMD(add_epi64))
BINARY64(sub_64, SIMD(sub_epi64))
BINARY64(mul_64, SIMD(mullo_epi64))
BINARY64(and_64, SIMD(and_si512))
BINARY64(or_64, SIMD(or_si512))
BINARY64(xor_64, SIMD(xor_si512))
BINARY64(shift_left, SIMD(sllv_epi64))
BINARY64(shift_right, SIMD(srlv_epi64))
BINARY64(shift_signed, SIMD(srav_epi64))
BINARY64(min_s64, SIMD(min_epi64))
BINARY64(max_s64, SIMD(max_epi64))
BINARY64(min_u64, SIMD(min_epu64))
BINARY64(max_u64, SIMD(max_epu64))
UNARY64(abs_s64, SIMD(abs_epi64))
BINARY64(even_products_s, SIMD(mul_epi32))
BINARY64(even_products_u, SIMD(mul_epu32))

INLINE R32 not_32(R32 x) { return xor_32(x, all_32(EVERY)); }
INLINE R64 not_64(R64 x) { return xor_64(x, all_64(UINT64_MAX)); }
INLINE R32 neg_s32(R32 x) { return sub_32(all_32(0), x); }
INLINE R64 neg_s64(R64 x) { return sub_64(all_64(0), x); }
INLINE R32 mad_32(R32 x, R32 y, R32 z) { return add_32(mul_32(x, y), z); }
INLINE R64 mad_64(R64 x, R64 y, R64 z) { return add_64(mul_64(x, y), z); }
INLINE R64 mul_wide_s32(R32 x, R32 y) { return even_products_s(widen_s32(x), widen_s32(y)); }
INLINE R64 mul_wide_u32(R32 x, R32 y) { return even_products_u(widen_u32(x), widen_u32(y)); }
INLINE R64 mad_wide_s32(R32 x, R32 y, R64 z) { return add_64(mul_wide_s32(x, y), z); }
INLINE R64 mad_wide_u32(R32 x, R32 y, R64 z) { return add_64(mul_wide_u32(x, y), z); }
INLINE R32 upper_32(R64 x) { return narrow_64(shift_right(x, all_64(32))); }
INLINE R32 mul_hi_s32(R32 x, R32 y) { return upper_32(mul_wide_s32(x, y)); }
INLINE R32 mul_hi_u32(R32 x, R32 y) { return upper_32(mul_wide_u32(x, y)); }
INLINE R32 mad_hi_s32(R32 x, R32 y, R32 z) { return add_32(mul_hi_s32(x, y), z); }
INLINE R32 mad_hi_u32(R32 x, R32 y, R32 z) { return add_32(mul_hi_u32(x, y), z); }
INLINE R64 shl_64(R64 x, R32 y) { return shift_left(x, widen_u32(y)); }
INLINE R64 shr_u64(R64 x, R32 y) { return shift_right(x, widen_u32(y)); }
INLINE R64 shr_s64(R64 x, R32 y) { return shift_signed(x, widen_u32(y)); }
#define lop3_32(X, Y, Z, TABLE)                                                                    \
  ((R32){SIMD(ternarylogic_epi32)((X).a, (Y).a, (Z).a, (TABLE)&255),                               \
         SIMD(ternarylogic_epi32)((X).b, (Y).b, (Z).b, (TABLE)&255)})

INLINE R32 funnel_left(R32 x, R32 y, R32 n) {
  return or_32(shl_32(y, n), shr_u32(x, sub_32(all_32(32), n)));
}
INLINE R32 funnel_right(R32 x, R32 y, R32 n) {
  return or_32(shr_u32(x, n), shl_32(y, sub_32(all_32(32), n)));
}
INLINE R32 shf_l_wrap(R32 x, R32 y, R32 n) { return funnel_left(x, y, and_32(n, all_32(31))); }
INLINE R32 shf_r_wrap(R32 x, R32 y, R32 n) { return funnel_right(x, y, and_32(n, all_32(31))); }
INLINE R32 shf_l_clamp(R32 x, R32 y, R32 n) { return funnel_left(x, y, min_u32(n, all_32(32))); }
INLINE R32 shf_r_clamp(R32 x, R32 y, R32 n) { return funnel_right(x, y, min_u32(n, all_32(32))); }

INLINE R32 ones_32(R32 n) { return sub_32(shl_32(all_32(1), n), all_32(1)); }
INLINE R32 byte_32(R32 x) { return and_32(x, all_32(255)); }
INLINE R32 bfe_u32(R32 x, R32 at, R32 length) {
  return and_32(shr_u32(x, byte_32(at)), ones_32(byte_32(length)));
}
INLINE R32 bfe_s32(R32 x, R32 at, R32 length) {
  const R32 unused = sub_32(all_32(32), min_u32(byte_32(length), all_32(32)));
  return shr_s32(shl_32(shr_s32(x, byte_32(at)), unused), unused);
}
INLINE R32 bfi_32(R32 x, R32 into, R32 at, R32 length) {
  const R32 field = shl_32(ones_32(byte_32(length)), byte_32(at));
  return lop3_32(shl_32(x, byte_32(at)), into, field, 0xe4);
}
INLINE R32 popc_32(R32 x) {
  const R32 pairs = sub_32(x, and_32(shr_u32(x, all_32(1)), all_32(0x55555555)));
  const R32 fours = add_32(and_32(pairs, all_32(0x33333333)),
                           and_32(shr_u32(pairs, all_32(2)), all_32(0x33333333)));
  const R32 bytes = and_32(add_32(fours, shr_u32(fours, all_32(4))), all_32(0x0f0f0f0f));
  return shr_u32(mul_32(bytes, all_32(0x01010101)), all_32(24));
}
INLINE R32 popc_64(R64 x) { return add_32(popc_32(narrow_64(x)), popc_32(upper_32(x))); }
INLINE R32 swap_bits(R32 x, int step, uint32_t low) {
  return or_32(and_32(shr_u32(x, all_32((uint64_t)step)), all_32(low)),
               shl_32(and_32(x, all_32(low)), all_32((uint64_t)step)));
}
INLINE R32 brev_32(R32 x) {
  x = swap_bits(swap_bits(swap_bits(x, 1, 0x55555555), 2, 0x33333333), 4, 0x0f0f0f0f);
  return swap_bits(swap_bits(x, 8, 0x00ff00ff), 16, 0xffff);
}

/* Byte k of the result: a byte of eight, or its sign in all bits. The selector is a constant, which
 * compilers fold. */
INLINE R32 pick_byte(R32 x, R32 y, int selector, int k) {
  const int pick = selector >> 4 * k, place = 8 * (pick & 3);
  const R32 up = shl_32(pick & 4 ? y : x, all_32((uint64_t)(24 - place)));
  const R32 top = pick & 8 ? shr_s32(up, all_32(31)) : shr_u32(up, all_32(24));
  return shl_32(and_32(top, all_32(255)), all_32((uint64_t)(8 * k)));
}
INLINE R32 prmt_32(R32 x, R32 y, int selector) {
  return or_32(or_32(pick_byte(x, y, selector, 0), pick_byte(x, y, selector, 1)),
               or_32(pick_byte(x, y, selector, 2), pick_byte(x, y, selector, 3)));
}

/* --- comparisons --- */

#define COMPARE_INT(R, TEST, NAME, T)                                                              \
  INLINE uint32_t setp_eq_##NAME(R x, R y) { return TEST(SIMD(cmpeq_##T##_mask)); }                \
  INLINE uint32_t setp_ne_##NAME(R x, R y) { return TEST(SIMD(cmpneq_##T##_mask)); }               \
  INLINE uint32_t setp_lt_##NAME(R x, R y) { return TEST(SIMD(cmplt_##T##_mask)); }                \
  INLINE uint32_t setp_le_##NAME(R x, R y) { return TEST(SIMD(cmple_##T##_mask)); }                \
  INLINE uint32_t setp_gt_##NAME(R x, R y) { return TEST(SIMD(cmpgt_##T##_mask)); }                \
  INLINE uint32_t setp_ge_##NAME(R x, R y) { return TEST(SIMD(cmpge_##T##_mask)); }
COMPARE_INT(R32, TEST32, s32, epi32)
COMPARE_INT(R32, TEST32, u32, epu32)
COMPARE_INT(R64, TEST64, s64, epi64)
COMPARE_INT(R64, TEST64, u64, epu64)

#define FLOATS(F)  SIMD(castsi512_ps)(F)
#define DOUBLES(F) SIMD(castsi512_pd)(F)
#define COMPARE_F(OP, HOW)                                                                         \
  INLINE uint32_t setp_##OP##_f32(R32 x, R32 y) {                                                  \
    return MASK32(SIMD(cmp_ps_mask)(FLOATS(x.a), FLOATS(y.a), HOW),                                \
                  SIMD(cmp_ps_mask)(FLOATS(x.b), FLOATS(y.b), HOW));                               \
  }                                                                                                \
  INLINE uint32_t setp_##OP##_f64(R64 x, R64 y) {                                                  \
    return MASK64(SIMD(cmp_pd_mask)(DOUBLES(x.a), DOUBLES(y.a), HOW),                              \
                  SIMD(cmp_pd_mask)(DOUBLES(x.b), DOUBLES(y.b), HOW),                              \
                  SIMD(cmp_pd_mask)(DOUBLES(x.c), DOUBLES(y.c), HOW),                              \
                  SIMD(cmp_pd_mask)(DOUBLES(x.d), DOUBLES(y.d), HOW));                             \
  }
COMPARE_F(eq, _CMP_EQ_OQ)
COMPARE_F(ne, _CMP_NEQ_OQ)
COMPARE_F(lt, _CMP_LT_OQ)
COMPARE_F(le, _CMP_LE_OQ)
COMPARE_F(gt, _CMP_GT_OQ)
COMPARE_F(ge, _CMP_GE_OQ)
COMPARE_F(equ, _CMP_EQ_UQ)
COMPARE_F(neu, _CMP_NEQ_UQ)
COMPARE_F(ltu, _CMP_NGE_UQ)
COMPARE_F(leu, _CMP_NGT_UQ)
COMPARE_F(gtu, _CMP_NLE_UQ)
COMPARE_F(geu, _CMP_NLT_UQ)
COMPARE_F(num, _CMP_ORD_Q)
COMPARE_F(nan, _CMP_UNORD_Q)

/* --- 16-bit and 8-bit values --- */

INLINE R32 zero_16(R32 x) { return and_32(x, all_32(0xffff)); }
INLINE R32 sign_16(R32 x) { return shr_s32(shl_32(x, all_32(16)), all_32(16)); }
INLINE R32 zero_8(R32 x) { return byte_32(x); }
INLINE R32 sign_8(R32 x) { return shr_s32(shl_32(x, all_32(24)), all_32(24)); }
INLINE R64 widen_u16(R32 x) { return widen_u32(zero_16(x)); }
INLINE R64 widen_s16(R32 x) { return widen_s32(sign_16(x)); }
INLINE R64 widen_u8(R32 x) { return widen_u32(zero_8(x)); }
INLINE R64 widen_s8(R32 x) { return widen_s32(sign_8(x)); }
INLINE R32 narrow_u16(R64 x) { return zero_16(narrow_64(x)); }
INLINE R32 narrow_s16(R64 x) { return sign_16(narrow_64(x)); }
INLINE R32 narrow_u8(R64 x) { return zero_8(narrow_64(x)); }
INLINE R32 add_16(R32 x, R32 y) { return zero_16(add_32(x, y)); }
INLINE R32 sub_16(R32 x, R32 y) { return zero_16(sub_32(x, y)); }
INLINE R32 mul_16(R32 x, R32 y) { return zero_16(mul_32(x, y)); }
INLINE R32 and_16(R32 x, R32 y) { return zero_16(and_32(x, y)); }
INLINE R32 or_16(R32 x, R32 y) { return zero_16(or_32(x, y)); }
INLINE R32 xor_16(R32 x, R32 y) { return zero_16(xor_32(x, y)); }
INLINE R32 not_16(R32 x) { return zero_16(not_32(x)); }
INLINE R32 shl_16(R32 x, R32 n) { return zero_16(shl_32(x, n)); }
INLINE R32 shr_u16(R32 x, R32 n) { return shr_u32(zero_16(x), n); }
INLINE R32 shr_s16(R32 x, R32 n) { return zero_16(shr_s32(sign_16(x), n)); }
INLINE R32 select_16(R32 x, R32 y, uint32_t p) { return zero_16(select_32(x, y, p)); }
INLINE R32 mul_wide_u16(R32 x, R32 y) { return mul_32(zero_16(x), zero_16(y)); }
INLINE R32 mul_wide_s16(R32 x, R32 y) { return mul_32(sign_16(x), sign_16(y)); }
#define COMPARE16(OP)                                                                              \
  INLINE uint32_t setp_##OP##_u16(R32 x, R32 y) {                                                  \
    return setp_##OP##_u32(zero_16(x), zero_16(y));                                                \
  }                                                                                                \
  INLINE uint32_t setp_##OP##_s16(R32 x, R32 y) { return setp_##OP##_s32(sign_16(x), sign_16(y)); }
COMPARE16(eq)
COMPARE16(ne)
COMPARE16(lt)
COMPARE16(le)
COMPARE16(gt)
COMPARE16(ge)

/* --- floats --- */

/* Every computation returns the same NaN. */
INLINE V canonical(VF x) {
  const __mmask16 nan = SIMD(cmp_ps_mask)(x, x, _CMP_UNORD_Q);
  return SIMD(mask_blend_epi32)(nan, SIMD(castps_si512)(x), SIMD(set1_epi32)(0x7fffffff));
}
#define ADD_F32(X, Y)    canonical(SIMD(add_ps)(FLOATS(X), FLOATS(Y)))
#define SUB_F32(X, Y)    canonical(SIMD(sub_ps)(FLOATS(X), FLOATS(Y)))
#define MUL_F32(X, Y)    canonical(SIMD(mul_ps)(FLOATS(X), FLOATS(Y)))
#define DIV_F32(X, Y)    canonical(SIMD(div_ps)(FLOATS(X), FLOATS(Y)))
#define RCP_F32(X)       canonical(SIMD(div_ps)(SIMD(set1_ps)(1), FLOATS(X)))
#define SQRT_F32(X)      canonical(SIMD(sqrt_ps)(FLOATS(X)))
#define FMA_F32(X, Y, Z) canonical(SIMD(fmadd_ps)(FLOATS(X), FLOATS(Y), FLOATS(Z)))
BINARY32(add_f32, ADD_F32)
BINARY32(sub_f32, SUB_F32)
BINARY32(mul_f32, MUL_F32)
BINARY32(div_f32, DIV_F32)
UNARY32(rcp_f32, RCP_F32)
UNARY32(sqrt_f32, SQRT_F32)
TERNARY32(fma_f32, FMA_F32)
/* abs and neg change a NaN as sums do. */
INLINE R32 unless_nan_f32(R32 x, R32 result) {
  return select_32(all_32(0x7fffffff), result, setp_nan_f32(x, x));
}
INLINE R32 abs_f32(R32 x) { return unless_nan_f32(x, and_32(x, all_32(0x7fffffff))); }
INLINE R32 neg_f32(R32 x) { return unless_nan_f32(x, xor_32(x, all_32(0x80000000))); }
INLINE R32 copysign_f32(R32 x, R32 y) { return lop3_32(all_32(0x80000000), x, y, 0xca); }

/* Subnormal numbers become zeros with their sign. */
INLINE R32 flush_f32(R32 x) {
  const R32 exponent = and_32(x, all_32(0x7f800000));
  return select_32(and_32(x, all_32(0x80000000)), x, setp_eq_u32(exponent, all_32(0)));
}
/* Like the interpreter's flush_product(): scaling by 2^64 makes room below 2^-126. */
INLINE R32 flush_product_f32(R32 product, R32 x, R32 y, R32 z) {
  const R32 size = and_32(product, all_32(0x7fffffff)), up = all_32(0x5f800000);
  const uint32_t least = setp_eq_u32(size, all_32(0x00800000));
  if (!least) return product;
  const R32 scaled = abs_f32(fma_f32(mul_f32(x, up), y, mul_f32(z, up)));
  const uint32_t below = setp_lt_f32(scaled, all_32(0x20800000));
  return select_32(and_32(product, all_32(0x80000000)), product, least & below);
}
INLINE R32 mul_ftz_f32(R32 x, R32 y) { return flush_product_f32(mul_f32(x, y), x, y, all_32(0)); }
INLINE R32 fma_ftz_f32(R32 x, R32 y, R32 z) { return flush_product_f32(fma_f32(x, y, z), x, y, z); }
INLINE R32 saturate_f32(R32 x) {
  const R32 positive = select_32(x, all_32(0), setp_gt_f32(x, all_32(0)));
  return select_32(positive, all_32(0x3f800000), setp_lt_f32(positive, all_32(0x3f800000)));
}

/* -0 is below +0, and a number takes precedence over a NaN. As integers, floats have the same
 * order, except for negative ones, whose order is reversed here. */
INLINE R32 order_f32(R32 x) { return xor_32(x, shr_u32(shr_s32(x, all_32(31)), all_32(1))); }
INLINE R32 min_max_nan(R32 picked, R32 x, R32 y) {
  const uint32_t x_nan = setp_nan_f32(x, x), y_nan = setp_nan_f32(y, y);
  if (!(x_nan | y_nan)) return picked;
  const R32 one = select_32(y, select_32(x, picked, y_nan), x_nan);
  return select_32(all_32(0x7fffffff), one, x_nan & y_nan);
}
INLINE R32 min_f32(R32 x, R32 y) {
  return min_max_nan(select_32(x, y, setp_lt_s32(order_f32(x), order_f32(y))), x, y);
}
INLINE R32 max_f32(R32 x, R32 y) {
  return min_max_nan(select_32(x, y, setp_gt_s32(order_f32(x), order_f32(y))), x, y);
}

/* Propagates the first operand that is a NaN, made quiet, in the same order as arith_float.c. */
INLINE R64 result_f64(R64 r, R64 x, R64 y, R64 z) {
  const uint32_t nan = setp_nan_f64(r, r);
  if (!nan) return r;
  const R64 quiet = all_64(1ull << 51);
  r = select_64(or_64(z, quiet), r, setp_nan_f64(z, z) & nan);
  r = select_64(or_64(y, quiet), r, setp_nan_f64(y, y) & nan);
  return select_64(or_64(x, quiet), r, setp_nan_f64(x, x) & nan);
}
#define ADD_F64(X, Y)    SIMD(castpd_si512)(SIMD(add_pd)(DOUBLES(X), DOUBLES(Y)))
#define SUB_F64(X, Y)    SIMD(castpd_si512)(SIMD(sub_pd)(DOUBLES(X), DOUBLES(Y)))
#define MUL_F64(X, Y)    SIMD(castpd_si512)(SIMD(mul_pd)(DOUBLES(X), DOUBLES(Y)))
#define DIV_F64(X, Y)    SIMD(castpd_si512)(SIMD(div_pd)(DOUBLES(X), DOUBLES(Y)))
#define SQRT_F64(X)      SIMD(castpd_si512)(SIMD(sqrt_pd)(DOUBLES(X)))
#define FMA_F64(X, Y, Z) SIMD(castpd_si512)(SIMD(fmadd_pd)(DOUBLES(X), DOUBLES(Y), DOUBLES(Z)))
#define BINARY_F64(NAME, F, FIRST, SECOND)                                                         \
  INLINE R64 NAME(R64 x, R64 y) { return result_f64(EACH64_2(F), FIRST, SECOND, all_64(0)); }
BINARY_F64(add_f64, ADD_F64, y, x)
BINARY_F64(sub_f64, SUB_F64, y, x)
BINARY_F64(mul_f64, MUL_F64, y, x)
BINARY_F64(div_f64, DIV_F64, x, y)
INLINE R64 rcp_f64(R64 y) {
  const R64 x = all_64(0x3ff0000000000000);
  return result_f64(EACH64_2(DIV_F64), y, x, x);
}
INLINE R64 sqrt_f64(R64 x) { return result_f64(EACH64_1(SQRT_F64), x, all_64(0), all_64(0)); }
INLINE R64 fma_f64(R64 x, R64 y, R64 z) { return result_f64(EACH64_3(FMA_F64), y, z, x); }
INLINE R64 unless_nan_f64(R64 x, R64 result) {
  return select_64(or_64(x, all_64(1ull << 51)), result, setp_nan_f64(x, x));
}
INLINE R64 abs_f64(R64 x) { return unless_nan_f64(x, and_64(x, all_64(INT64_MAX))); }
INLINE R64 neg_f64(R64 x) { return unless_nan_f64(x, xor_64(x, all_64(1ull << 63))); }
INLINE R64 order_f64(R64 x) {
  return xor_64(x, shift_right(shift_signed(x, all_64(63)), all_64(1)));
}
INLINE R64 min_max_nan_64(R64 picked, R64 x, R64 y) {
  const uint32_t x_nan = setp_nan_f64(x, x), y_nan = setp_nan_f64(y, y);
  if (!(x_nan | y_nan)) return picked;
  const R64 one = select_64(y, select_64(x, picked, y_nan), x_nan);
  return select_64(or_64(y, all_64(1ull << 51)), one, x_nan & y_nan);
}
INLINE R64 min_f64(R64 x, R64 y) {
  return min_max_nan_64(select_64(x, y, setp_lt_s64(order_f64(x), order_f64(y))), x, y);
}
INLINE R64 max_f64(R64 x, R64 y) {
  return min_max_nan_64(select_64(x, y, setp_gt_s64(order_f64(x), order_f64(y))), x, y);
}

/* --- conversions --- */

#define HALVES_TO_64(F)                                                                            \
  ((R64){F(low_half(x.a)), F(high_half(x.a)), F(low_half(x.b)), F(high_half(x.b))})
#define HALVES_TO_32(F) ((R32){join_halves(F(x.a), F(x.b)), join_halves(F(x.c), F(x.d))})
#define S32_TO_F32(X)   SIMD(castps_si512)(SIMD(cvtepi32_ps)(X))
#define U32_TO_F32(X)   SIMD(castps_si512)(SIMD(cvtepu32_ps)(X))
#define S32_TO_F64(X)   SIMD(castpd_si512)(SIMD(cvtepi32_pd)(X))
#define U32_TO_F64(X)   SIMD(castpd_si512)(SIMD(cvtepu32_pd)(X))
#define F32_TO_F64(X)   SIMD(castpd_si512)(SIMD(cvtps_pd)(_mm256_castsi256_ps(X)))
#define F64_TO_F32(X)   _mm256_castps_si256(SIMD(cvtpd_ps)(DOUBLES(X)))
#define F64_TO_S32(X)   SIMD(cvttpd_epi32)(DOUBLES(X))
#define F64_TO_U32(X)   SIMD(cvttpd_epu32)(DOUBLES(X))
#define CANONICAL(X)    canonical(FLOATS(X))
UNARY32(s32_to_f32, S32_TO_F32)
UNARY32(u32_to_f32, U32_TO_F32)
UNARY32(canonical_f32, CANONICAL)
INLINE R64 s32_to_f64(R32 x) { return HALVES_TO_64(S32_TO_F64); }
INLINE R64 u32_to_f64(R32 x) { return HALVES_TO_64(U32_TO_F64); }
INLINE R64 f32_to_f64(R32 x) { return HALVES_TO_64(F32_TO_F64); }
INLINE R32 f64_to_f32(R64 x) { return HALVES_TO_32(F64_TO_F32); }
INLINE R32 truncate_s32(R64 x) { return HALVES_TO_32(F64_TO_S32); }
INLINE R32 truncate_u32(R64 x) { return HALVES_TO_32(F64_TO_U32); }
/* The index of the highest set bit is the exponent of the double; for 0 it is -1. */
INLINE R32 bfind_u32(R32 x) {
  const R32 exponent = shr_u32(upper_32(u32_to_f64(x)), all_32(20));
  return select_32(all_32(EVERY), sub_32(exponent, all_32(1023)), setp_eq_u32(x, all_32(0)));
}
INLINE R32 bfind_s32(R32 x) { return bfind_u32(xor_32(x, shr_s32(x, all_32(31)))); }
INLINE R32 clz_32(R32 x) { return sub_32(all_32(31), bfind_u32(x)); }
INLINE R32 bfind_shift_u32(R32 x) {
  return select_32(all_32(EVERY), clz_32(x), setp_eq_u32(x, all_32(0)));
}
INLINE R32 clz_64(R64 x) {
  const R32 upper = upper_32(x), lower = add_32(clz_32(narrow_64(x)), all_32(32));
  return select_32(lower, clz_32(upper), setp_eq_u32(upper, all_32(0)));
}
/* Clamps in double, which represents all of these integers; a NaN gives 0. */
INLINE R32 rzi_s32(R32 x) {
  R64 wide = f32_to_f64(x);
  wide = select_64(wide, all_64(0x41dfffffffc00000), setp_lt_f64(wide, all_64(0x41dfffffffc00000)));
  wide = select_64(wide, all_64(0xc1e0000000000000), setp_gt_f64(wide, all_64(0xc1e0000000000000)));
  return select_32(truncate_s32(wide), all_32(0), setp_num_f32(x, x));
}
#define ROUNDED_F32(NAME, HOW)                                                                     \
  INLINE R32 NAME(R32 x) {                                                                         \
    return (R32){canonical(SIMD(roundscale_ps)(FLOATS(x.a), HOW)),                                 \
                 canonical(SIMD(roundscale_ps)(FLOATS(x.b), HOW))};                                \
  }
ROUNDED_F32(rni_f32, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
ROUNDED_F32(rzi_f32, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)
ROUNDED_F32(rmi_f32, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)
ROUNDED_F32(rpi_f32, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC)
INLINE R32 rni_s32(R32 x) { return rzi_s32(rni_f32(x)); }
INLINE R32 rmi_s32(R32 x) { return rzi_s32(rmi_f32(x)); }
INLINE R32 rpi_s32(R32 x) { return rzi_s32(rpi_f32(x)); }
INLINE R32 rzi_u32(R32 x) {
  R64 wide = f32_to_f64(x);
  wide = select_64(wide, all_64(0x41efffffffe00000), setp_lt_f64(wide, all_64(0x41efffffffe00000)));
  wide = select_64(wide, all_64(0), setp_gt_f64(wide, all_64(0)));
  return select_32(truncate_u32(wide), all_32(0), setp_num_f32(x, x));
}
/* Ties are rounded away from zero, up to infinity; a NaN is truncated. */
INLINE R32 f32_to_tf32(R32 x) {
  const R32 rounded = select_32(x, add_32(x, all_32(0x1000)), setp_nan_f32(x, x));
  return and_32(rounded, all_32(~0x1fffu));
}
INLINE R32 bf16_to_f32(R32 x) { return shl_32(x, all_32(16)); }
INLINE R32 rsqrt_f32(R32 x) {
  const R64 one = all_64(0x3ff0000000000000), wide = f32_to_f64(x);
  return canonical_f32(f64_to_f32(div_f64(one, sqrt_f64(wide))));
}

/* The integer part of a double quotient is exact for 32-bit integers. Division by zero gives all
 * ones, and so does its remainder. */
INLINE R32 div_u32(R32 x, R32 y) {
  const R64 a = u32_to_f64(x), b = u32_to_f64(y);
  return select_32(all_32(EVERY), truncate_u32(div_f64(a, b)), setp_eq_u32(y, all_32(0)));
}
INLINE R32 rem_u32(R32 x, R32 y) {
  const R32 rest = sub_32(x, mul_32(div_u32(x, y), y));
  return select_32(all_32(EVERY), rest, setp_eq_u32(y, all_32(0)));
}
INLINE R32 div_s32(R32 x, R32 y) {
  const R32 by_one = select_32(neg_s32(x), truncate_s32(div_f64(s32_to_f64(x), s32_to_f64(y))),
                               setp_eq_u32(y, all_32(EVERY)));
  return select_32(all_32(EVERY), by_one, setp_eq_u32(y, all_32(0)));
}
INLINE R32 rem_s32(R32 x, R32 y) {
  const R32 rest = sub_32(x, mul_32(div_s32(x, y), y));
  return select_32(all_32(EVERY), rest, setp_eq_u32(y, all_32(0)));
}

#endif
