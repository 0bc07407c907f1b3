/* SPDX-License-Identifier: MIT */
#include "emu/arith/arith_mul.h"

__extension__ typedef unsigned __int128 Wide;
__extension__ typedef __int128 SignedWide;

static uint64_t high_u64(uint64_t a, uint64_t b) { return (uint64_t)((Wide)a * b >> 64); }
static uint64_t high_s64(int64_t a, int64_t b) {
  return (uint64_t)((Wide)((SignedWide)a * b) >> 64);
}

/* The low half of a product does not depend on signs; the high half and the whole product do. */
ARITH_BINARY(mul_lo_16, uint32_t, uint16_t, (a & 0xffff) * (b & 0xffff))
ARITH_BINARY(mul_lo_32, uint32_t, uint32_t, (a * b))
ARITH_BINARY(mul_lo_64, uint64_t, uint64_t, (a * b))
ARITH_BINARY(mul_hi_u16, uint16_t, uint16_t, ((uint32_t)a * b >> 16))
ARITH_BINARY(mul_hi_s16, int16_t, uint16_t, ((uint32_t)(a * b) >> 16))
ARITH_BINARY(mul_hi_u32, uint32_t, uint32_t, ((uint64_t)a * b >> 32))
ARITH_BINARY(mul_hi_s32, int32_t, uint32_t, ((uint64_t)((int64_t)a * b) >> 32))
ARITH_BINARY(mul_hi_u64, uint64_t, uint64_t, high_u64(a, b))
ARITH_BINARY(mul_hi_s64, int64_t, uint64_t, high_s64(a, b))
ARITH_BINARY(mul_wide_u16, uint16_t, uint32_t, ((uint32_t)a * b))
ARITH_BINARY(mul_wide_s16, int16_t, uint32_t, (a * b))
ARITH_BINARY(mul_wide_u32, uint32_t, uint64_t, ((uint64_t)a * b))
ARITH_BINARY(mul_wide_s32, int32_t, uint64_t, ((int64_t)a * b))

/* d = PRODUCT of a and b read as T, plus c, both as SUM; written as the unsigned type U. */
#define MAD(NAME, T, SUM, U, PRODUCT)                                                              \
  static uint32_t NAME(ARITH_PARAMS) {                                                             \
    ARITH_UNUSED;                                                                                  \
    ARITH_EACH(i, active, {                                                                        \
      const T a = (T)s[0][i], b = (T)s[1][i];                                                      \
      d[i] = (U)((SUM)(PRODUCT) + (SUM)s[2][i]);                                                   \
    })                                                                                             \
    return 0;                                                                                      \
  }
MAD(mad_lo_16, uint32_t, uint32_t, uint16_t, (a & 0xffff) * (b & 0xffff))
MAD(mad_lo_32, uint32_t, uint32_t, uint32_t, (a * b))
MAD(mad_lo_64, uint64_t, uint64_t, uint64_t, (a * b))
MAD(mad_hi_u16, uint16_t, uint32_t, uint16_t, ((uint32_t)a * b >> 16))
MAD(mad_hi_s16, int16_t, uint32_t, uint16_t, ((uint32_t)(a * b) >> 16))
MAD(mad_hi_u32, uint32_t, uint32_t, uint32_t, ((uint64_t)a * b >> 32))
MAD(mad_hi_s32, int32_t, uint32_t, uint32_t, ((uint64_t)((int64_t)a * b) >> 32))
MAD(mad_hi_u64, uint64_t, uint64_t, uint64_t, high_u64(a, b))
MAD(mad_hi_s64, int64_t, uint64_t, uint64_t, high_s64(a, b))
MAD(mad_wide_u16, uint16_t, uint32_t, uint32_t, ((uint32_t)a * b))
MAD(mad_wide_s16, int16_t, uint32_t, uint32_t, (a * b))
MAD(mad_wide_u32, uint32_t, uint64_t, uint64_t, ((uint64_t)a * b))
MAD(mad_wide_s32, int32_t, uint64_t, uint64_t, ((int64_t)a * b))

static int64_t clamp_s32(int64_t x) {
  return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x;
}
/* An arithmetic shift that avoids shifting a negative number, which C leaves
 * implementation-defined. */
static int64_t floor_shift(int64_t x, unsigned n) {
  return x < 0 ? ~(int64_t)(~(uint64_t)x >> n) : (int64_t)((uint64_t)x >> n);
}
ARITH_TERNARY(mad_hi_sat, int32_t, uint32_t, clamp_s32(floor_shift(((int64_t)a * b), 32) + c))

/* The low or high half of the product, to which mad.cc and madc add with carry. */
static uint64_t product_part(const ArithInsn *insn, uint64_t a, uint64_t b) {
  const bool high = (insn->flags & ARITH_HI) != 0;
  switch (insn->dst) {
  case ARITH_U32: return high ? (uint64_t)(uint32_t)a * (uint32_t)b >> 32 : (uint32_t)(a * b);
  case ARITH_S32:
    return high ? (uint64_t)((int64_t)(int32_t)a * (int32_t)b) >> 32 : (uint32_t)(a * b);
  case ARITH_U64: return high ? high_u64(a, b) : a * b;
  default: return high ? high_s64((int64_t)a, (int64_t)b) : a * b;
  }
}

static uint32_t mad_cc(ARITH_PARAMS) {
  const uint32_t in = (insn->flags & ARITH_READS_CC) != 0 ? mask : 0;
  const uint64_t all = arith_bits((ArithType)insn->dst) == 32 ? UINT32_MAX : UINT64_MAX;
  uint32_t out = 0;
  FOR_LANES(i, active) {
    const Wide sum = (Wide)product_part(insn, s[0][i], s[1][i]) + (s[2][i] & all) + (in >> i & 1);
    out |= (uint32_t)(sum > all) << i;
    d[i] = (uint64_t)sum & all;
  }
  return (insn->flags & ARITH_WRITES_CC) != 0 ? out : 0;
}

/* The 48-bit product of the low 24 bits: hi is its bits 47..16, lo its bits 31..0. */
static int64_t product24(const ArithInsn *insn, uint64_t a, uint64_t b) {
  if (insn->dst == ARITH_U32) return (int64_t)((a & 0xffffff) * (b & 0xffffff));
  const int64_t x = (int64_t)((a & 0xffffff) ^ 0x800000) - 0x800000;
  const int64_t y = (int64_t)((b & 0xffffff) ^ 0x800000) - 0x800000;
  return x * y;
}

static int64_t part24(const ArithInsn *insn, uint64_t a, uint64_t b) {
  const int64_t product = product24(insn, a, b);
  return (insn->flags & ARITH_HI) != 0 ? floor_shift(product, 16) : product;
}

static uint32_t mul24(ARITH_PARAMS) {
  (void)mask;
  FOR_LANES(i, active) d[i] = (uint32_t)part24(insn, s[0][i], s[1][i]);
  return 0;
}

static uint32_t mad24(ARITH_PARAMS) {
  (void)mask;
  const bool saturate = (insn->flags & ARITH_SAT) != 0;
  FOR_LANES(i, active) {
    const int64_t sum = part24(insn, s[0][i], s[1][i]) + (int32_t)(uint32_t)s[2][i];
    d[i] = (uint32_t)(saturate ? clamp_s32(sum) : sum);
  }
  return 0;
}

static int32_t byte_of(uint64_t x, unsigned byte, bool is_signed) {
  const uint32_t value = (uint32_t)(x >> (8 * byte)) & 0xff;
  return (int32_t)(is_signed ? (value ^ 0x80) - 0x80 : value);
}

static int32_t half_of(uint64_t x, unsigned half, bool is_signed) {
  const uint32_t value = (uint32_t)(x >> (16 * half)) & 0xffff;
  return (int32_t)(is_signed ? (value ^ 0x8000) - 0x8000 : value);
}

static uint32_t dp4a(ARITH_PARAMS) {
  (void)mask;
  const bool sa = insn->src[0] == ARITH_S32, sb = insn->src[1] == ARITH_S32;
  FOR_LANES(i, active) {
    uint32_t sum = (uint32_t)s[2][i];
    for (unsigned k = 0; k < 4; k++)
      sum += (uint32_t)(byte_of(s[0][i], k, sa) * byte_of(s[1][i], k, sb));
    d[i] = sum;
  }
  return 0;
}

/* Multiplies the two halves of a with the lower or upper two bytes of b. */
static uint32_t dp2a(ARITH_PARAMS) {
  (void)mask;
  const bool sa = insn->src[0] == ARITH_S32, sb = insn->src[1] == ARITH_S32;
  const unsigned first = (insn->flags & ARITH_HI) != 0 ? 2 : 0;
  FOR_LANES(i, active) {
    uint32_t sum = (uint32_t)s[2][i];
    for (unsigned k = 0; k < 2; k++)
      sum += (uint32_t)(half_of(s[0][i], k, sa) * byte_of(s[1][i], first + k, sb));
    d[i] = sum;
  }
  return 0;
}

#define WIDTH(W) (ARITH_T(U##W) | ARITH_T(S##W))
/* NATIVE16, WIDE16: the translator's functions of the forms that it has for mul alone. */
#define PRODUCTS(OP, SHAPE, WIDE_SHAPE, WHAT, NATIVE16, WIDE16)                                    \
  ROW(#OP, SHAPE, WIDTH(16), OP##_lo_16, NATIVE16, .must = ARITH_LO, .what = WHAT),                \
      ROW(#OP, SHAPE, WIDTH(32), OP##_lo_32, #OP "_32", .must = ARITH_LO),                         \
      ROW(#OP, SHAPE, WIDTH(64), OP##_lo_64, #OP "_64", .must = ARITH_LO),                         \
      ROW(#OP, SHAPE, ARITH_T(U16), OP##_hi_u16, NULL, .must = ARITH_HI),                          \
      ROW(#OP, SHAPE, ARITH_T(S16), OP##_hi_s16, NULL, .must = ARITH_HI),                          \
      ROW(#OP, SHAPE, ARITH_T(U32), OP##_hi_u32, #OP "_hi_%t", .must = ARITH_HI),                  \
      ROW(#OP, SHAPE, ARITH_T(S32), OP##_hi_s32, #OP "_hi_%t", .must = ARITH_HI),                  \
      ROW(#OP, SHAPE, ARITH_T(U64), OP##_hi_u64, NULL, .must = ARITH_HI),                          \
      ROW(#OP, SHAPE, ARITH_T(S64), OP##_hi_s64, NULL, .must = ARITH_HI),                          \
      ROW(#OP, WIDE_SHAPE, ARITH_T(U16), OP##_wide_u16, WIDE16, .must = ARITH_WIDE),               \
      ROW(#OP, WIDE_SHAPE, ARITH_T(S16), OP##_wide_s16, WIDE16, .must = ARITH_WIDE),               \
      ROW(#OP, WIDE_SHAPE, ARITH_T(U32), OP##_wide_u32, #OP "_wide_%t", .must = ARITH_WIDE),       \
      ROW(#OP, WIDE_SHAPE, ARITH_T(S32), OP##_wide_s32, #OP "_wide_%t", .must = ARITH_WIDE)
#define LO_AND_HI(OP, SHAPE, TYPES, FN, ...)                                                       \
  ROW(OP, SHAPE, TYPES, FN, NULL, .must = ARITH_LO, __VA_ARGS__),                                  \
      ROW(OP, SHAPE, TYPES, FN, NULL, .must = ARITH_HI, __VA_ARGS__)

static const ArithRow rows[] = {
    PRODUCTS(mul, "ttt", "wtt", "a * b: its lower half, its upper half, or all of it", "mul_16",
             "mul_wide_%t"),
    PRODUCTS(mad, "tttt", "wttw", "a * b + c", NULL, NULL),
    ROW("mad", "tttt", ARITH_T(S32), mad_hi_sat, NULL, .must = ARITH_HI | ARITH_SAT),
    ROW("mad", "tttt", WIDTH(32) | WIDTH(64), mad_cc, NULL, .must = ARITH_LO | ARITH_WRITES_CC),
    ROW("mad", "tttt", WIDTH(32) | WIDTH(64), mad_cc, NULL, .must = ARITH_HI | ARITH_WRITES_CC),
    LO_AND_HI("madc", "tttt", WIDTH(32) | WIDTH(64), mad_cc, .what = "a * b + c + carry",
              .may = ARITH_WRITES_CC),
    LO_AND_HI("mul24", "ttt", WIDTH(32), mul24, .what = "the product of 24-bit operands"),
    LO_AND_HI("mad24", "tttt", WIDTH(32), mad24, .what = "the product of 24-bit operands, plus c"),
    ROW("mad24", "tttt", ARITH_T(S32), mad24, NULL, .must = ARITH_HI | ARITH_SAT),
    ROW("dp4a", "utsu", WIDTH(32), dp4a, NULL, .from = WIDTH(32),
        .what = "c plus the dot product of four bytes"),
    LO_AND_HI("dp2a", "utsu", WIDTH(32), dp2a,
              .what = "c plus the dot product of two halves and two bytes", .from = WIDTH(32)),
};

ArithTable arith_mul_table(void) { return (ArithTable){rows, ARITH_COUNT(rows)}; }
