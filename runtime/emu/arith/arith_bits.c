/* SPDX-License-Identifier: MIT */
#include "emu/arith/arith_bits.h"

ARITH_BINARY(and_16, uint16_t, uint16_t, (a & b))
ARITH_BINARY(and_32, uint32_t, uint32_t, (a & b))
ARITH_BINARY(and_64, uint64_t, uint64_t, (a & b))
ARITH_BINARY(or_16, uint16_t, uint16_t, a | b)
ARITH_BINARY(or_32, uint32_t, uint32_t, a | b)
ARITH_BINARY(or_64, uint64_t, uint64_t, a | b)
ARITH_BINARY(xor_16, uint16_t, uint16_t, a ^ b)
ARITH_BINARY(xor_32, uint32_t, uint32_t, a ^ b)
ARITH_BINARY(xor_64, uint64_t, uint64_t, a ^ b)
ARITH_UNARY(not_16, uint16_t, uint16_t, ~a)
ARITH_UNARY(not_32, uint32_t, uint32_t, ~a)
ARITH_UNARY(not_64, uint64_t, uint64_t, ~a)
ARITH_UNARY(cnot_16, uint16_t, uint16_t, a == 0)
ARITH_UNARY(cnot_32, uint32_t, uint32_t, a == 0)
ARITH_UNARY(cnot_64, uint64_t, uint64_t, a == 0)

ARITH_UNARY(popc_32, uint32_t, uint32_t, __builtin_popcount(a))
ARITH_UNARY(popc_64, uint64_t, uint32_t, __builtin_popcountll(a))
ARITH_UNARY(clz_32, uint32_t, uint32_t, a == 0 ? 32 : __builtin_clz(a))
ARITH_UNARY(clz_64, uint64_t, uint32_t, a == 0 ? 64 : __builtin_clzll(a))

/* bfind searches the highest bit that differs from the sign. */
static uint32_t find_bit(const ArithInsn *insn, uint64_t bits, unsigned width) {
  if (bits == 0) return UINT32_MAX;
  const uint32_t at = 63u - (uint32_t)__builtin_clzll(bits);
  return (insn->flags & ARITH_SHIFTAMT) != 0 ? width - 1 - at : at;
}
ARITH_UNARY(bfind_u32, uint32_t, uint32_t, find_bit(insn, a, 32))
ARITH_UNARY(bfind_u64, uint64_t, uint32_t, find_bit(insn, a, 64))
ARITH_UNARY(bfind_s32, int32_t, uint32_t, find_bit(insn, (uint32_t)(a < 0 ? ~a : a), 32))
ARITH_UNARY(bfind_s64, int64_t, uint32_t, find_bit(insn, (uint64_t)(a < 0 ? ~a : a), 64))

static uint64_t reverse_64(uint64_t x) {
  x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
  x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
  x = (x >> 4 & 0x0f0f0f0f0f0f0f0f) | (x & 0x0f0f0f0f0f0f0f0f) << 4;
  return __builtin_bswap64(x);
}
ARITH_UNARY(brev_32, uint32_t, uint32_t, reverse_64(a) >> 32)
ARITH_UNARY(brev_64, uint64_t, uint64_t, reverse_64(a))

/* A shift of the whole width or more shifts everything out; the amount is always a u32. */
#define AMOUNT ((uint32_t)s[1][i])
ARITH_UNARY(shl_16, uint32_t, uint16_t, AMOUNT > 15 ? 0 : a << AMOUNT)
ARITH_UNARY(shl_32, uint32_t, uint32_t, AMOUNT > 31 ? 0 : a << AMOUNT)
ARITH_UNARY(shl_64, uint64_t, uint64_t, AMOUNT > 63 ? 0 : a << AMOUNT)
ARITH_UNARY(shr_u16, uint16_t, uint16_t, AMOUNT > 15 ? 0 : a >> AMOUNT)
ARITH_UNARY(shr_u32, uint32_t, uint32_t, AMOUNT > 31 ? 0 : a >> AMOUNT)
ARITH_UNARY(shr_u64, uint64_t, uint64_t, AMOUNT > 63 ? 0 : a >> AMOUNT)
/* gcc and clang define >> of a negative number as arithmetic. */
ARITH_UNARY(shr_s16, int16_t, uint16_t, a >> (AMOUNT > 15 ? 15 : AMOUNT))
ARITH_UNARY(shr_s32, int32_t, uint32_t, a >> (AMOUNT > 31 ? 31 : AMOUNT))
ARITH_UNARY(shr_s64, int64_t, uint64_t, a >> (AMOUNT > 63 ? 63 : AMOUNT))

/* The funnel shift: b above a, shifted as 64 bits. */
static uint32_t shf(ARITH_PARAMS) {
  (void)mask;
  const bool left = (insn->flags & ARITH_LEFT) != 0, clamp = (insn->flags & ARITH_CLAMP) != 0;
  FOR_LANES(i, active) {
    const uint64_t both = (s[1][i] & UINT32_MAX) << 32 | (s[0][i] & UINT32_MAX);
    const uint32_t c = (uint32_t)s[2][i];
    const uint32_t n = clamp ? (c > 32 ? 32 : c) : c & 31;
    d[i] = (uint32_t)(left ? both << n >> 32 : both >> n);
  }
  return 0;
}

static uint64_t low_ones(uint32_t n) { return n > 63 ? UINT64_MAX : (1ull << n) - 1; }

/* Bits [at, at + length) of a `width`-bit word; beyond its top they read as `fill`. */
static uint64_t extract(uint64_t a, uint32_t at, uint32_t length, unsigned width, bool is_signed) {
  if (length == 0) return 0;
  const uint32_t last = at + length - 1;
  const bool fill = is_signed && (a >> (last < width ? last : width - 1) & 1);
  const uint32_t have = at >= width ? 0 : (at + length > width ? width - at : length);
  const uint64_t field = have == 0 ? 0 : a >> at & low_ones(have);
  return (fill ? field | ~low_ones(have) : field) & low_ones(width);
}

/* A position or length of a bit field. The ISA allows 0 to 255. An H200 uses only 8 bits for a
 * 32-bit word; for a 64-bit word, all values above its width are equivalent. */
static uint32_t field_number(uint64_t x, unsigned width) {
  const uint32_t n = (uint32_t)x;
  return width == 32 ? n & 0xff : n > 64 ? 64 : n;
}

static uint32_t bfe(ARITH_PARAMS) {
  (void)mask;
  const unsigned width = arith_bits((ArithType)insn->dst);
  const bool is_signed = insn->dst == ARITH_S32 || insn->dst == ARITH_S64;
  FOR_LANES(i, active) {
    const uint32_t at = field_number(s[1][i], width), length = field_number(s[2][i], width);
    d[i] = extract(s[0][i] & low_ones(width), at, length, width, is_signed);
  }
  return 0;
}

static uint32_t bfi(ARITH_PARAMS) {
  (void)mask;
  const unsigned width = arith_bits((ArithType)insn->dst);
  const uint64_t all = low_ones(width);
  FOR_LANES(i, active) {
    const uint32_t at = field_number(s[2][i], width), length = field_number(s[3][i], width);
    const uint64_t field = at > 63 ? 0 : low_ones(length) << at;
    const uint64_t value = at > 63 ? 0 : s[0][i] << at;
    d[i] = ((s[1][i] & ~field) | (value & field)) & all;
  }
  return 0;
}

/* The position of the offset-th set bit at or above (offset > 0) or below `base`. */
static uint32_t find_nth(uint32_t bits, uint32_t base, int32_t offset) {
  if (offset == INT32_MIN) return 0; /* measured on an H200; the ISA does not define it */
  if (base > 31) return UINT32_MAX;
  if (offset == 0) return bits >> base & 1 ? base : UINT32_MAX;
  const int step = offset > 0 ? 1 : -1;
  int64_t left = offset > 0 ? offset : -(int64_t)offset;
  for (int at = (int)base; at >= 0 && at < 32; at += step)
    if ((bits >> at & 1) != 0 && --left == 0) return (uint32_t)at;
  return UINT32_MAX;
}
ARITH_TERNARY(fns, uint32_t, uint32_t, find_nth(a, b, (int32_t)c))

static uint32_t bmsk(ARITH_PARAMS) {
  (void)mask;
  const bool clamp = (insn->flags & ARITH_CLAMP) != 0;
  FOR_LANES(i, active) {
    const uint32_t a = (uint32_t)s[0][i], b = (uint32_t)s[1][i];
    const uint32_t at = clamp ? (a > 32 ? 32 : a) : a & 31;
    const uint32_t length = clamp ? (b > 32 ? 32 : b) : b & 31;
    d[i] = (uint32_t)(low_ones(length) << at);
  }
  return 0;
}

static uint32_t szext(ARITH_PARAMS) {
  (void)mask;
  const bool clamp = (insn->flags & ARITH_CLAMP) != 0, is_signed = insn->dst == ARITH_S32;
  FOR_LANES(i, active) {
    const uint32_t a = (uint32_t)s[0][i], b = (uint32_t)s[1][i];
    d[i] = clamp && b > 31 ? a : extract(a, 0, b & 31, 32, is_signed);
  }
  return 0;
}

/* The selectors of prmt's other modes, in terms of the default mode's. */
static const uint16_t selectors[][4] = {
    [ARITH_PRMT_F4E] = {0x3210, 0x4321, 0x5432, 0x6543},
    [ARITH_PRMT_B4E] = {0x5670, 0x6701, 0x7012, 0x0123},
    [ARITH_PRMT_RC8] = {0x0000, 0x1111, 0x2222, 0x3333},
    [ARITH_PRMT_ECL] = {0x3210, 0x3211, 0x3222, 0x3333},
    [ARITH_PRMT_ECR] = {0x0000, 0x1110, 0x2210, 0x3210},
    [ARITH_PRMT_RC16] = {0x1010, 0x3232, 0x1010, 0x3232},
};

static uint32_t permute(uint64_t bytes, uint32_t selector) {
  uint32_t result = 0;
  for (unsigned k = 0; k < 4; k++) {
    const uint32_t pick = selector >> (4 * k);
    const uint32_t byte = (uint32_t)(bytes >> (8 * (pick & 7))) & 0xff;
    /* Bit 3 of a selector replicates the byte's sign instead. */
    const uint32_t sign = byte & 0x80 ? 0xff : 0;
    result |= (pick & 8 ? sign : byte) << (8 * k);
  }
  return result;
}

static uint32_t prmt(ARITH_PARAMS) {
  (void)mask;
  FOR_LANES(i, active) {
    const uint64_t bytes = (s[1][i] & UINT32_MAX) << 32 | (s[0][i] & UINT32_MAX);
    const uint32_t c = (uint32_t)s[2][i];
    d[i] = permute(bytes, insn->mode == 0 ? c : selectors[insn->mode][c & 3]);
  }
  return 0;
}

static uint32_t look_up(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  uint32_t result = 0;
  for (unsigned row = 0; row < 8; row++)
    if (table >> row & 1) result |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
  return result;
}

static uint32_t lop3(ARITH_PARAMS) {
  uint32_t nonzero = 0;
  FOR_LANES(i, active) {
    const uint32_t a = (uint32_t)s[0][i], b = (uint32_t)s[1][i], c = (uint32_t)s[2][i];
    d[i] = look_up(a, b, c, (uint32_t)s[3][i]);
    nonzero |= (uint32_t)(d[i] != 0) << i;
  }
  const ArithLogic logic = (ArithLogic)insn->logic;
  return logic == ARITH_NO_LOGIC ? 0 : arith_logic(logic, nonzero, mask) & active;
}

#define WIDTH(W) (ARITH_T(U##W) | ARITH_T(S##W))
#define LOGIC(OP, SHAPE, WHAT)                                                                     \
  ROW(#OP, SHAPE, ARITH_T(B16), OP##_16, #OP "_16", .what = WHAT),                                 \
      ROW(#OP, SHAPE, ARITH_T(B32), OP##_32, #OP "_32"),                                           \
      ROW(#OP, SHAPE, ARITH_T(B64), OP##_64, #OP "_64")
#define COUNTS(OP, WHAT)                                                                           \
  ROW(#OP, "ut", ARITH_T(B32), OP##_32, #OP "_32", .what = WHAT),                                  \
      ROW(#OP, "ut", ARITH_T(B64), OP##_64, #OP "_64")
#define FIND(TYPE, FN, NATIVE, SHIFT)                                                              \
  ROW("bfind", "ut", ARITH_T(TYPE), FN, NATIVE, .what = "the highest bit that is not the sign"),   \
      ROW("bfind", "ut", ARITH_T(TYPE), FN, SHIFT, .must = ARITH_SHIFTAMT)
#define FUNNEL(SIDE, NAME, WHAT)                                                                   \
  ROW("shf", "tttu", ARITH_T(B32), shf, "shf_" NAME "_clamp", .must = SIDE | ARITH_CLAMP,          \
      .what = WHAT),                                                                               \
      ROW("shf", "tttu", ARITH_T(B32), shf, "shf_" NAME "_wrap", .must = SIDE | ARITH_WRAP)
#define CLAMP_OR_WRAP(OP, SHAPE, TYPES, WHAT)                                                      \
  ROW(#OP, SHAPE, TYPES, OP, NULL, .must = ARITH_CLAMP, .what = WHAT),                             \
      ROW(#OP, SHAPE, TYPES, OP, NULL, .must = ARITH_WRAP)

static const ArithRow rows[] = {
    LOGIC(and, "ttt", "bitwise and"),
    LOGIC(or, "ttt", "bitwise or"),
    LOGIC(xor, "ttt", "bitwise exclusive or"),
    LOGIC(not, "tt", "bitwise complement"),
    ROW("cnot", "tt", ARITH_T(B16), cnot_16, NULL, .what = "1 if the operand is 0, otherwise 0"),
    ROW("cnot", "tt", ARITH_T(B32), cnot_32, NULL),
    ROW("cnot", "tt", ARITH_T(B64), cnot_64, NULL),
    LOGIC(shl, "ttu", "left shift; all bits are shifted out by the type's width or more"),
    COUNTS(popc, "the number of bits that are 1"),
    COUNTS(clz, "the number of leading zeros"),
    FIND(U32, bfind_u32, "bfind_%t", "bfind_shift_%t"),
    FIND(U64, bfind_u64, NULL, NULL),
    FIND(S32, bfind_s32, "bfind_%t", NULL),
    FIND(S64, bfind_s64, NULL, NULL),
    ROW("brev", "tt", ARITH_T(B32), brev_32, "brev_32", .what = "the bits in reverse order"),
    ROW("brev", "tt", ARITH_T(B64), brev_64, NULL),
    ROW("shr", "ttu", ARITH_T(U16) | ARITH_T(B16), shr_u16, "shr_u16",
        .what = "right shift, of signed types with the sign"),
    ROW("shr", "ttu", ARITH_T(U32) | ARITH_T(B32), shr_u32, "shr_u32"),
    ROW("shr", "ttu", ARITH_T(U64) | ARITH_T(B64), shr_u64, "shr_u64"),
    ROW("shr", "ttu", ARITH_T(S16), shr_s16, "shr_s16"),
    ROW("shr", "ttu", ARITH_T(S32), shr_s32, "shr_s32"),
    ROW("shr", "ttu", ARITH_T(S64), shr_s64, "shr_s64"),
    FUNNEL(ARITH_LEFT, "l", "shift of a 64-bit value in two registers"),
    FUNNEL(ARITH_RIGHT, "r", NULL),
    ROW("bfe", "ttuu", WIDTH(32), bfe, "bfe_%t", .what = "a field of bits"),
    ROW("bfe", "ttuu", WIDTH(64), bfe, NULL),
    ROW("bfi", "tttuu", ARITH_T(B32), bfi, "bfi_32", .what = "b with a field of bits from a"),
    ROW("bfi", "tttuu", ARITH_T(B64), bfi, NULL),
    ROW("fns", "tttu", ARITH_T(B32), fns, NULL, .what = "the n-th bit from a position that is 1"),
    CLAMP_OR_WRAP(bmsk, "ttt", ARITH_T(B32), "a mask of bits"),
    CLAMP_OR_WRAP(szext, "ttu", WIDTH(32), "the lower bits, extended by zeros or their sign"),
    ROW("prmt", "tttk", ARITH_T(B32), prmt, "prmt_32", .extra = ARITH_PRMT_MODE,
        .what = "four bytes selected from eight"),
    ROW("lop3", "ttttk", ARITH_T(B32), lop3, "lop3_32", .extra = ARITH_LOGIC,
        .what = "any logic of three operands, by its table"),
};

ArithTable arith_bits_table(void) { return (ArithTable){rows, ARITH_COUNT(rows)}; }
