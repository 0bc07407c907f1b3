/* SPDX-License-Identifier: MIT */
/* 512-bit vectors, with the names of AVX-512's intrinsics: SIMD(add_epi32). Without AVX-512 each is
 * a pair of AVX2 vectors. */
#ifndef KGEN_EMU_TRANSLATE_PRELUDE_VECTORS_H
#define KGEN_EMU_TRANSLATE_PRELUDE_VECTORS_H

#include <immintrin.h>
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

#ifdef __AVX512BW__
#define SIMD(F) _mm512_##F
typedef __m512i V;
typedef __m512 VF;
#else
#define SIMD(F) pair_##F
typedef struct {
  __m256i l, h;
} V;
typedef V VF;

/* --- functions applied to both halves: integers, floats and doubles --- */

#define PAIR_1(NAME, F)                                                                            \
  INLINE V pair_##NAME(V x) { return (V){F(x.l), F(x.h)}; }
#define PAIR_2(NAME, F)                                                                            \
  INLINE V pair_##NAME(V x, V y) { return (V){F(x.l, y.l), F(x.h, y.h)}; }
#define PAIR_3(NAME, F)                                                                            \
  INLINE V pair_##NAME(V x, V y, V z) { return (V){F(x.l, y.l, z.l), F(x.h, y.h, z.h)}; }
#define PS(X)    _mm256_castsi256_ps(X)
#define PD(X)    _mm256_castsi256_pd(X)
#define OF_PS(X) _mm256_castps_si256(X)
#define OF_PD(X) _mm256_castpd_si256(X)
#define HALF     static inline __attribute__((always_inline)) __m256i

PAIR_2(add_epi32, _mm256_add_epi32)
PAIR_2(add_epi64, _mm256_add_epi64)
PAIR_2(sub_epi32, _mm256_sub_epi32)
PAIR_2(sub_epi64, _mm256_sub_epi64)
PAIR_2(mullo_epi32, _mm256_mullo_epi32)
PAIR_2(mul_epi32, _mm256_mul_epi32)
PAIR_2(mul_epu32, _mm256_mul_epu32)
PAIR_2(and_si512, _mm256_and_si256)
PAIR_2(or_si512, _mm256_or_si256)
PAIR_2(xor_si512, _mm256_xor_si256)
PAIR_2(sllv_epi32, _mm256_sllv_epi32)
PAIR_2(srlv_epi32, _mm256_srlv_epi32)
PAIR_2(srav_epi32, _mm256_srav_epi32)
PAIR_2(sllv_epi64, _mm256_sllv_epi64)
PAIR_2(srlv_epi64, _mm256_srlv_epi64)
PAIR_2(min_epi32, _mm256_min_epi32)
PAIR_2(max_epi32, _mm256_max_epi32)
PAIR_2(min_epu32, _mm256_min_epu32)
PAIR_2(max_epu32, _mm256_max_epu32)
PAIR_1(abs_epi32, _mm256_abs_epi32)

HALF sign_64(__m256i x) { return _mm256_cmpgt_epi64(_mm256_setzero_si256(), x); }
HALF turn_32(__m256i x) { return _mm256_xor_si256(x, _mm256_set1_epi32(INT32_MIN)); }
HALF turn_64(__m256i x) { return _mm256_xor_si256(x, _mm256_set1_epi64x(INT64_MIN)); }
HALF half_srav_64(__m256i x, __m256i n) {
  const __m256i sign = sign_64(x);
  return _mm256_xor_si256(_mm256_srlv_epi64(_mm256_xor_si256(x, sign), n), sign);
}
HALF half_abs_64(__m256i x) {
  return _mm256_sub_epi64(_mm256_xor_si256(x, sign_64(x)), sign_64(x));
}
/* x * y = low * low + 2^32 * (low * high + high * low) */
HALF half_mul_64(__m256i x, __m256i y) {
  const __m256i cross = _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(x, 32), y),
                                         _mm256_mul_epu32(x, _mm256_srli_epi64(y, 32)));
  return _mm256_add_epi64(_mm256_mul_epu32(x, y), _mm256_slli_epi64(cross, 32));
}
HALF greater_64(__m256i x, __m256i y) { return _mm256_cmpgt_epi64(x, y); }
HALF above_64(__m256i x, __m256i y) { return _mm256_cmpgt_epi64(turn_64(x), turn_64(y)); }
HALF half_min_s64(__m256i x, __m256i y) { return _mm256_blendv_epi8(x, y, greater_64(x, y)); }
HALF half_max_s64(__m256i x, __m256i y) { return _mm256_blendv_epi8(y, x, greater_64(x, y)); }
HALF half_min_u64(__m256i x, __m256i y) { return _mm256_blendv_epi8(x, y, above_64(x, y)); }
HALF half_max_u64(__m256i x, __m256i y) { return _mm256_blendv_epi8(y, x, above_64(x, y)); }
PAIR_2(srav_epi64, half_srav_64)
PAIR_1(abs_epi64, half_abs_64)
PAIR_2(mullo_epi64, half_mul_64)
PAIR_2(min_epi64, half_min_s64)
PAIR_2(max_epi64, half_max_s64)
PAIR_2(min_epu64, half_min_u64)
PAIR_2(max_epu64, half_max_u64)

#define HALF_ADD_PS(X, Y)    OF_PS(_mm256_add_ps(PS(X), PS(Y)))
#define HALF_SUB_PS(X, Y)    OF_PS(_mm256_sub_ps(PS(X), PS(Y)))
#define HALF_MUL_PS(X, Y)    OF_PS(_mm256_mul_ps(PS(X), PS(Y)))
#define HALF_DIV_PS(X, Y)    OF_PS(_mm256_div_ps(PS(X), PS(Y)))
#define HALF_SQRT_PS(X)      OF_PS(_mm256_sqrt_ps(PS(X)))
#define HALF_FMA_PS(X, Y, Z) OF_PS(_mm256_fmadd_ps(PS(X), PS(Y), PS(Z)))
#define HALF_ADD_PD(X, Y)    OF_PD(_mm256_add_pd(PD(X), PD(Y)))
#define HALF_SUB_PD(X, Y)    OF_PD(_mm256_sub_pd(PD(X), PD(Y)))
#define HALF_MUL_PD(X, Y)    OF_PD(_mm256_mul_pd(PD(X), PD(Y)))
#define HALF_DIV_PD(X, Y)    OF_PD(_mm256_div_pd(PD(X), PD(Y)))
#define HALF_SQRT_PD(X)      OF_PD(_mm256_sqrt_pd(PD(X)))
#define HALF_FMA_PD(X, Y, Z) OF_PD(_mm256_fmadd_pd(PD(X), PD(Y), PD(Z)))
PAIR_2(add_ps, HALF_ADD_PS)
PAIR_2(sub_ps, HALF_SUB_PS)
PAIR_2(mul_ps, HALF_MUL_PS)
PAIR_2(div_ps, HALF_DIV_PS)
PAIR_1(sqrt_ps, HALF_SQRT_PS)
PAIR_3(fmadd_ps, HALF_FMA_PS)
#define pair_roundscale_ps(X, HOW)                                                                 \
  ((V){OF_PS(_mm256_round_ps(PS((X).l), HOW)), OF_PS(_mm256_round_ps(PS((X).h), HOW))})
PAIR_2(add_pd, HALF_ADD_PD)
PAIR_2(sub_pd, HALF_SUB_PD)
PAIR_2(mul_pd, HALF_MUL_PD)
PAIR_2(div_pd, HALF_DIV_PD)
PAIR_1(sqrt_pd, HALF_SQRT_PD)
PAIR_3(fmadd_pd, HALF_FMA_PD)
#define pair_castsi512_ps(X) (X)
#define pair_castsi512_pd(X) (X)
#define pair_castps_si512(X) (X)
#define pair_castpd_si512(X) (X)

/* The truth table of a three-input function, by the bits of x, y and z. */
HALF half_logic(__m256i x, __m256i y, __m256i z, int table) {
  const __m256i none = _mm256_setzero_si256(), ones = _mm256_set1_epi32(-1);
#define BIT(X, ON)           ((ON) ? (X) : _mm256_xor_si256(X, ones))
#define BITS(I)              _mm256_and_si256(_mm256_and_si256(BIT(x, I & 4), BIT(y, I & 2)), BIT(z, I & 1))
#define TERM(I)              (table >> I & 1 ? BITS(I) : none)
#define EITHER(X, Y)         _mm256_or_si256(X, Y)
  return EITHER(EITHER(EITHER(TERM(0), TERM(1)), EITHER(TERM(2), TERM(3))),
                EITHER(EITHER(TERM(4), TERM(5)), EITHER(TERM(6), TERM(7))));
}
INLINE V pair_ternarylogic_epi32(V x, V y, V z, int table) {
  return (V){half_logic(x.l, y.l, z.l, table), half_logic(x.h, y.h, z.h, table)};
}

/* --- parts, constants, memory --- */

#define pair_castsi512_si256(X)           ((X).l)
#define pair_castsi512_si128(X)           _mm256_castsi256_si128((X).l)
#define pair_castsi256_si512(X)           ((V){X, X})
#define pair_extracti64x4_epi64(X, ONE)   ((X).h)
#define pair_extracti32x4_epi32(X, THREE) _mm256_extracti128_si256((X).h, 1)
#define pair_extracti64x2_epi64(X, THREE) _mm256_extracti128_si256((X).h, 1)
INLINE V pair_inserti64x4(V x, __m256i y, int one) {
  (void)one;
  return (V){x.l, y};
}
INLINE V pair_set1_epi32(int x) { return (V){_mm256_set1_epi32(x), _mm256_set1_epi32(x)}; }
INLINE V pair_set1_epi64(long long x) { return (V){_mm256_set1_epi64x(x), _mm256_set1_epi64x(x)}; }
INLINE V pair_set1_ps(float x) { return (V){OF_PS(_mm256_set1_ps(x)), OF_PS(_mm256_set1_ps(x))}; }
#define pair_set_epi32(P, O, N, M, L, K, J, I, H, G, F, E, D, C, B, A)                             \
  ((V){_mm256_setr_epi32(A, B, C, D, E, F, G, H), _mm256_setr_epi32(I, J, K, L, M, N, O, P)})
INLINE V pair_loadu_si512(const void *p) {
  const __m256i_u *at = p;
  return (V){_mm256_loadu_si256(at), _mm256_loadu_si256(at + 1)};
}
INLINE void pair_storeu_si512(void *p, V x) {
  __m256i_u *at = p;
  _mm256_storeu_si256(at, x.l);
  _mm256_storeu_si256(at + 1, x.h);
}

/* --- comparisons and selection, by bit masks --- */

INLINE uint32_t bits_32(__m256i x) { return (uint32_t)_mm256_movemask_ps(PS(x)); }
INLINE uint32_t bits_64(__m256i x) { return (uint32_t)_mm256_movemask_pd(PD(x)); }
#define pair_kunpackw(HIGH, LOW) ((uint32_t)(HIGH) << 16 | (uint16_t)(LOW))
#define pair_kunpackb(HIGH, LOW) ((uint32_t)(HIGH) << 8 | (uint8_t)(LOW))
#define PAIR_MASK(NAME, BITS, SHIFT, F)                                                            \
  INLINE uint32_t pair_cmp##NAME##_mask(V x, V y) {                                                \
    return BITS(F(x.l, y.l)) | BITS(F(x.h, y.h)) << SHIFT;                                         \
  }
#define SWAPPED_32(X, Y) _mm256_cmpgt_epi32(Y, X)
#define SWAPPED_64(X, Y) _mm256_cmpgt_epi64(Y, X)
#define ABOVE_32(X, Y)   _mm256_cmpgt_epi32(turn_32(X), turn_32(Y))
#define BELOW_32(X, Y)   ABOVE_32(Y, X)
#define BELOW_64(X, Y)   above_64(Y, X)
#define PAIR_MASKS(T, BITS, SHIFT, ALL, EQUAL, GREATER, LESS)                                      \
  PAIR_MASK(eq_##T, BITS, SHIFT, EQUAL)                                                            \
  PAIR_MASK(gt_##T, BITS, SHIFT, GREATER)                                                          \
  PAIR_MASK(lt_##T, BITS, SHIFT, LESS)                                                             \
  INLINE uint32_t pair_cmpneq_##T##_mask(V x, V y) { return ~pair_cmpeq_##T##_mask(x, y) & ALL; }  \
  INLINE uint32_t pair_cmple_##T##_mask(V x, V y) { return ~pair_cmpgt_##T##_mask(x, y) & ALL; }   \
  INLINE uint32_t pair_cmpge_##T##_mask(V x, V y) { return ~pair_cmplt_##T##_mask(x, y) & ALL; }
PAIR_MASKS(epi32, bits_32, 8, 0xffff, _mm256_cmpeq_epi32, _mm256_cmpgt_epi32, SWAPPED_32)
PAIR_MASKS(epu32, bits_32, 8, 0xffff, _mm256_cmpeq_epi32, ABOVE_32, BELOW_32)
PAIR_MASKS(epi64, bits_64, 4, 0xff, _mm256_cmpeq_epi64, _mm256_cmpgt_epi64, SWAPPED_64)
PAIR_MASKS(epu64, bits_64, 4, 0xff, _mm256_cmpeq_epi64, above_64, BELOW_64)
#define pair_cmp_ps_mask(X, Y, HOW)                                                                \
  (bits_32(OF_PS(_mm256_cmp_ps(PS((X).l), PS((Y).l), HOW))) |                                      \
   bits_32(OF_PS(_mm256_cmp_ps(PS((X).h), PS((Y).h), HOW))) << 8)
#define pair_cmp_pd_mask(X, Y, HOW)                                                                \
  (bits_64(OF_PD(_mm256_cmp_pd(PD((X).l), PD((Y).l), HOW))) |                                      \
   bits_64(OF_PD(_mm256_cmp_pd(PD((X).h), PD((Y).h), HOW))) << 4)

HALF spread_32(uint32_t p) {
  const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)p), bit), bit);
}
HALF spread_64(uint32_t p) {
  const __m256i bit = _mm256_setr_epi64x(1, 2, 4, 8);
  return _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(p), bit), bit);
}
INLINE V pair_mask_blend_epi32(uint32_t p, V x, V y) {
  return (V){_mm256_blendv_epi8(x.l, y.l, spread_32(p)),
             _mm256_blendv_epi8(x.h, y.h, spread_32(p >> 8))};
}
INLINE V pair_mask_blend_epi64(uint32_t p, V x, V y) {
  return (V){_mm256_blendv_epi8(x.l, y.l, spread_64(p)),
             _mm256_blendv_epi8(x.h, y.h, spread_64(p >> 4))};
}
INLINE void pair_mask_storeu_epi64(uint64_t *p, uint32_t mask, V x) {
  long long *at = (long long *)(void *)p;
  _mm256_maskstore_epi64(at, spread_64(mask), x.l);
  _mm256_maskstore_epi64(at + 4, spread_64(mask >> 4), x.h);
}
INLINE uint32_t pair_reduce_min_epu32(V x) {
  uint32_t at[16], least = UINT32_MAX;
  pair_storeu_si512(at, x);
  for (int i = 0; i < 16; i++) least = at[i] < least ? at[i] : least;
  return least;
}
INLINE uint32_t pair_reduce_max_epu32(V x) {
  uint32_t at[16], most = 0;
  pair_storeu_si512(at, x);
  for (int i = 0; i < 16; i++) most = at[i] > most ? at[i] : most;
  return most;
}

/* --- conversions --- */

#define LOW_128(X)     _mm256_castsi256_si128(X)
#define HIGH_128(X)    _mm256_extracti128_si256(X, 1)
#define JOIN_128(L, H) _mm256_inserti128_si256(_mm256_castsi128_si256(L), H, 1)
#define WIDER(NAME, F)                                                                             \
  INLINE V pair_##NAME(__m256i x) { return (V){F(LOW_128(x)), F(HIGH_128(x))}; }
#define HALF_S32_TO_PD(X) OF_PD(_mm256_cvtepi32_pd(X))
#define HALF_PH_TO_PS(X)  OF_PS(_mm256_cvtph_ps(X))
#define HALF_PS_TO_PD(X)  OF_PD(_mm256_cvtps_pd(_mm_castsi128_ps(X)))
/* The double 2^52 plus an integer below it contains the integer's bits. */
HALF half_u32_to_pd(__m128i x) {
  const __m256i power = _mm256_set1_epi64x(0x4330000000000000);
  const __m256i sum = _mm256_or_si256(_mm256_cvtepu32_epi64(x), power);
  return OF_PD(_mm256_sub_pd(PD(sum), PD(power)));
}
WIDER(cvtepu32_epi64, _mm256_cvtepu32_epi64)
WIDER(cvtepi32_epi64, _mm256_cvtepi32_epi64)
WIDER(cvtepi32_pd, HALF_S32_TO_PD)
WIDER(cvtepu32_pd, half_u32_to_pd)
WIDER(cvtepu16_epi32, _mm256_cvtepu16_epi32)
WIDER(cvtepi16_epi32, _mm256_cvtepi16_epi32)
WIDER(cvtph_ps, HALF_PH_TO_PS)
#define pair_cvtps_ph(X, HOW)                                                                      \
  JOIN_128(_mm256_cvtps_ph(PS((X).l), HOW), _mm256_cvtps_ph(PS((X).h), HOW))
#define pair_cvtps_pd(X)  pair_cvtps_of(OF_PS(X))
WIDER(cvtps_of, HALF_PS_TO_PD)
INLINE V pair_cvtepu8_epi32(__m128i x) {
  return (V){_mm256_cvtepu8_epi32(x), _mm256_cvtepu8_epi32(_mm_srli_si128(x, 8))};
}
INLINE V pair_cvtepi8_epi32(__m128i x) {
  return (V){_mm256_cvtepi8_epi32(x), _mm256_cvtepi8_epi32(_mm_srli_si128(x, 8))};
}
INLINE __m256i pair_cvtepi64_epi32(V x) {
  const __m256i even = OF_PS(_mm256_shuffle_ps(PS(x.l), PS(x.h), 0x88));
  return _mm256_permute4x64_epi64(even, 0xd8);
}
/* The lower halves of 32-bit values, and their lowest bytes. */
INLINE __m256i pair_cvtepi32_epi16(V x) {
  const __m256i kept = _mm256_set1_epi32(0xffff);
  const __m256i pairs =
      _mm256_packus_epi32(_mm256_and_si256(x.l, kept), _mm256_and_si256(x.h, kept));
  return _mm256_permute4x64_epi64(pairs, 0xd8);
}
INLINE __m128i pair_cvtepi32_epi8(V x) {
  const __m256i kept = _mm256_set1_epi16(0xff);
  const __m256i bytes = _mm256_and_si256(pair_cvtepi32_epi16(x), kept);
  return _mm_packus_epi16(LOW_128(bytes), HIGH_128(bytes));
}
#define HALF_S32_TO_PS(X) OF_PS(_mm256_cvtepi32_ps(X))
PAIR_1(cvtepi32_ps, HALF_S32_TO_PS)
/* As doubles they are exact, so only one rounding remains. */
HALF half_u32_to_ps(__m256i x) {
  return JOIN_128(_mm_castps_si128(_mm256_cvtpd_ps(PD(half_u32_to_pd(LOW_128(x))))),
                  _mm_castps_si128(_mm256_cvtpd_ps(PD(half_u32_to_pd(HIGH_128(x))))));
}
PAIR_1(cvtepu32_ps, half_u32_to_ps)
INLINE __m256 pair_cvtpd_ps(V x) {
  return PS(JOIN_128(_mm_castps_si128(_mm256_cvtpd_ps(PD(x.l))),
                     _mm_castps_si128(_mm256_cvtpd_ps(PD(x.h)))));
}
INLINE __m256i pair_cvttpd_epi32(V x) {
  return JOIN_128(_mm256_cvttpd_epi32(PD(x.l)), _mm256_cvttpd_epi32(PD(x.h)));
}
/* For values that fit an unsigned integer, which all callers guarantee: values from 2^31 on are
 * reduced by 2^31 first. */
INLINE __m256i pair_cvttpd_epu32(V x) {
  const V limit = pair_set1_epi64(0x41e0000000000000), less = pair_sub_pd(x, limit);
  const uint32_t large = pair_cmp_pd_mask(x, limit, _CMP_GE_OQ);
  const __m256i whole = pair_cvttpd_epi32(pair_mask_blend_epi64(large, x, less));
  return _mm256_xor_si256(whole, _mm256_slli_epi32(spread_32(large), 31));
}

/* --- gathers and scatters --- */

INLINE __m256i pair_i64gather_epi32(V at, const void *from, int one) {
  (void)one;
  return JOIN_128(_mm256_i64gather_epi32(from, at.l, 1), _mm256_i64gather_epi32(from, at.h, 1));
}
INLINE V pair_i64gather_epi64(V at, const void *from, int one) {
  (void)one;
  return (V){_mm256_i64gather_epi64(from, at.l, 1), _mm256_i64gather_epi64(from, at.h, 1)};
}
INLINE V pair_i32gather_epi32(V at, const void *from, int one) {
  (void)one;
  return (V){_mm256_i32gather_epi32(from, at.l, 1), _mm256_i32gather_epi32(from, at.h, 1)};
}
INLINE void pair_i64scatter_epi32(void *to, V at, __m256i x, int one) {
  typedef uint32_t __attribute__((may_alias, aligned(1))) Word;
  int64_t place[8];
  uint32_t value[8];
  (void)one;
  pair_storeu_si512(place, at);
  _mm256_storeu_si256((__m256i_u *)value, x);
  for (int i = 0; i < 8; i++) *(Word *)((uint8_t *)to + place[i]) = value[i];
}
INLINE void pair_i64scatter_epi64(void *to, V at, V x, int one) {
  typedef uint64_t __attribute__((may_alias, aligned(1))) Word;
  int64_t place[8];
  uint64_t value[8];
  (void)one;
  pair_storeu_si512(place, at);
  pair_storeu_si512(value, x);
  for (int i = 0; i < 8; i++) *(Word *)((uint8_t *)to + place[i]) = value[i];
}
/* Selects words from a table of two vectors. */
INLINE V pair_permutex2var_epi32(V low, V at, V high) {
  uint32_t table[32];
  pair_storeu_si512(table, low);
  pair_storeu_si512(table + 16, high);
  const V words = {_mm256_slli_epi32(at.l, 2), _mm256_slli_epi32(at.h, 2)};
  return pair_i32gather_epi32(words, table, 1);
}
#endif
#endif
