/* SPDX-License-Identifier: MIT */
#include "emu/arith/arith_compare.h"

#include <math.h>

#include "emu/arith/arith_format.h"

/* The possible orders of two values, one bit each; UNORDERED if either is NaN. */
enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

/* The orders for which each comparison holds. */
static const uint8_t truth[] = {
    [ARITH_EQ] = EQUAL,
    [ARITH_NE] = LESS | GREATER,
    [ARITH_LT] = LESS,
    [ARITH_LE] = LESS | EQUAL,
    [ARITH_GT] = GREATER,
    [ARITH_GE] = GREATER | EQUAL,
    [ARITH_EQU] = EQUAL | UNORDERED,
    [ARITH_NEU] = LESS | GREATER | UNORDERED,
    [ARITH_LTU] = LESS | UNORDERED,
    [ARITH_LEU] = LESS | EQUAL | UNORDERED,
    [ARITH_GTU] = GREATER | UNORDERED,
    [ARITH_GEU] = GREATER | EQUAL | UNORDERED,
    [ARITH_NUM] = LESS | EQUAL | GREATER,
    [ARITH_NAN] = UNORDERED,
};

/* True if a comparison is computed as the complement of its opposite. This applies to one that
 * holds for UNORDERED, which `<` and `==` do not detect, and to one that holds for two of three
 * orders. Most comparisons then need a single loop. */
static bool by_complement(uint32_t holds, bool orders_all) {
  return (holds & UNORDERED) != 0 || (orders_all && (holds & (holds - 1)) != 0);
}

#define HOLD(NAME, T, READ, COND)                                                                  \
  static uint32_t NAME(const ArithInsn *insn, const uint64_t *x, const uint64_t *y,                \
                       uint32_t active) {                                                          \
    uint32_t result = 0;                                                                           \
    (void)insn;                                                                                    \
    if (active == ALL_LANES) {                                                                     \
      _Pragma("omp simd reduction(|:result)") for (uint32_t i = 0; i < LANES; i++) {               \
        const T a = READ(x[i]), b = READ(y[i]);                                                    \
        result |= (COND) ? 1u << i : 0;                                                            \
      }                                                                                            \
      return result;                                                                               \
    }                                                                                              \
    FOR_LANES(i, active) {                                                                         \
      const T a = READ(x[i]), b = READ(y[i]);                                                      \
      result |= (COND) ? 1u << i : 0;                                                              \
    }                                                                                              \
    return result;                                                                                 \
  }

/* ORDERS_ALL: the type is an integer, so no two values are unordered. */
#define SETP(NAME, T, READ, ORDERS_ALL)                                                            \
  HOLD(NAME##_less, T, READ, a < b)                                                                \
  HOLD(NAME##_equal, T, READ, a == b)                                                              \
  static uint32_t NAME(ARITH_PARAMS) {                                                             \
    (void)d, (void)mask;                                                                           \
    const uint32_t holds = truth[insn->compare];                                                   \
    const bool complement = by_complement(holds, ORDERS_ALL);                                      \
    const uint32_t orders = complement ? ~holds : holds;                                           \
    uint32_t result = 0;                                                                           \
    if (orders & LESS) result |= NAME##_less(insn, s[0], s[1], active);                            \
    if (orders & GREATER) result |= NAME##_less(insn, s[1], s[0], active);                         \
    if (orders & EQUAL) result |= NAME##_equal(insn, s[0], s[1], active);                          \
    return (complement ? ~result : result) & active;                                               \
  }

static uint32_t flushed(const ArithInsn *insn, uint64_t bits) {
  return (insn->flags & ARITH_FTZ) != 0 ? arith_flush32((uint32_t)bits) : (uint32_t)bits;
}
#define READ_F32(bits) arith_f32(flushed(insn, bits))
SETP(setp_u16, uint16_t, (uint16_t), true)
SETP(setp_s16, int16_t, (int16_t), true)
SETP(setp_u32, uint32_t, (uint32_t), true)
SETP(setp_s32, int32_t, (int32_t), true)
SETP(setp_u64, uint64_t, (uint64_t), true)
SETP(setp_s64, int64_t, (int64_t), true)
SETP(setp_f32, float, READ_F32, false)
SETP(setp_f64, double, arith_f64, false)

static double half_value(const ArithInsn *insn, uint64_t bits) {
  const ArithFormat *format = arith_format((ArithType)insn->src[0]);
  const bool subnormal = (bits & (format->max + 1)) == 0;
  if ((insn->flags & ARITH_FTZ) != 0 && subnormal) return 0;
  return arith_decode(format, bits & 0xffff);
}
#define READ_LOW(bits)  half_value(insn, bits)
#define READ_HIGH(bits) half_value(insn, (bits) >> 16)
SETP(setp_half, double, READ_LOW, false)
SETP(setp_high, double, READ_HIGH, false)

/* For a pair, d takes the high comparison and the mask is the low one. */
static uint32_t setp_half2(ARITH_PARAMS) {
  const uint32_t high = setp_high(insn, NULL, s, active, mask);
  const uint32_t low = setp_half(insn, NULL, s, active, mask);
  FOR_LANES(i, active) d[i] = high >> i & 1;
  return low;
}

static const ArithFn compare[ARITH_TYPES] = {
    [ARITH_B16] = setp_u16,     [ARITH_U16] = setp_u16,      [ARITH_S16] = setp_s16,
    [ARITH_B32] = setp_u32,     [ARITH_U32] = setp_u32,      [ARITH_S32] = setp_s32,
    [ARITH_B64] = setp_u64,     [ARITH_U64] = setp_u64,      [ARITH_S64] = setp_s64,
    [ARITH_F16] = setp_half,    [ARITH_BF16] = setp_half,    [ARITH_F32] = setp_f32,
    [ARITH_F16X2] = setp_half2, [ARITH_BF16X2] = setp_half2, [ARITH_F64] = setp_f64,
};

/* The value that set writes for true: 1.0 in a float type, all ones in an integer. */
static uint64_t true_value(ArithType type) {
  const ArithFormat *format = arith_format(type);
  if (format == NULL) return arith_bits(type) == 16 ? UINT16_MAX : UINT32_MAX;
  return arith_encode(format, 1, ARITH_RN, false);
}

static uint32_t set(ARITH_PARAMS) {
  const ArithLogic logic = (ArithLogic)insn->logic;
  const uint32_t compared = compare[insn->src[0]](insn, d, s, active, mask);
  const uint32_t holds = arith_logic(logic, compared, mask);
  const uint64_t yes = true_value((ArithType)insn->dst);
  FOR_LANES(i, active) d[i] = holds >> i & 1 ? yes : 0;
  return 0;
}

/* Each half of d has its own comparison; an integer d gets 0xffff in each half that is true. */
static uint32_t set_half2(ARITH_PARAMS) {
  const ArithLogic logic = (ArithLogic)insn->logic;
  const uint32_t low = arith_logic(logic, setp_half(insn, NULL, s, active, mask), mask);
  const uint32_t high = arith_logic(logic, setp_high(insn, NULL, s, active, mask), mask);
  const uint64_t yes = true_value((ArithType)insn->dst) & 0xffff;
  FOR_LANES(i, active) d[i] = (low >> i & 1 ? yes : 0) | (high >> i & 1 ? yes << 16 : 0);
  return 0;
}

static bool has_property(double x, double least_normal, unsigned mode) {
  switch (mode) {
  case ARITH_TEST_FINITE: return isfinite(x);
  case ARITH_TEST_INFINITE: return isinf(x);
  case ARITH_TEST_NUMBER: return x == x;
  case ARITH_TEST_NAN: return x != x;
  case ARITH_TEST_NORMAL: return isfinite(x) && (x == 0 || fabs(x) >= least_normal);
  default: return x != 0 && fabs(x) < least_normal;
  }
}

static uint32_t testp(ARITH_PARAMS) {
  (void)d, (void)mask;
  const ArithFormat *format = arith_format((ArithType)insn->src[0]);
  const double least_normal = insn->src[0] == ARITH_F32 ? 0x1p-126 : 0x1p-1022;
  uint32_t result = 0;
  FOR_LANES(i, active) {
    const double x = arith_decode(format, s[0][i]);
    result |= (uint32_t)has_property(x, least_normal, insn->mode) << i;
  }
  return result;
}

#define SELECT(W)                                                                                  \
  static uint32_t selp_##W(ARITH_PARAMS) {                                                         \
    (void)insn;                                                                                    \
    const uint64_t *yes = s[0], *no = s[1];                                                        \
    ARITH_EACH(i, active, { d[i] = (uint##W##_t)(mask >> i & 1 ? yes[i] : no[i]); })               \
    return 0;                                                                                      \
  }                                                                                                \
  static uint32_t slct_##W(ARITH_PARAMS) {                                                         \
    (void)mask;                                                                                    \
    const bool by_float = insn->src[2] == ARITH_F32;                                               \
    FOR_LANES(i, active) {                                                                         \
      const uint32_t c = flushed(insn, s[2][i]);                                                   \
      const bool first = by_float ? arith_f32(c) >= 0 : (int32_t)c >= 0;                           \
      d[i] = (uint##W##_t)s[first ? 0 : 1][i];                                                     \
    }                                                                                              \
    return 0;                                                                                      \
  }
SELECT(16)
SELECT(32)
SELECT(64)

#define ANY16  (ARITH_T(B16) | ARITH_T(U16) | ARITH_T(S16) | ARITH_T(F16) | ARITH_T(BF16))
#define ANY32  (ARITH_T(B32) | ARITH_T(U32) | ARITH_T(S32) | ARITH_T(F32))
#define ANY64  (ARITH_T(B64) | ARITH_T(U64) | ARITH_T(S64) | ARITH_T(F64))
#define HALF   (ARITH_T(F16) | ARITH_T(BF16))
#define HALF2  (ARITH_T(F16X2) | ARITH_T(BF16X2))
#define INT16  (ARITH_T(U16) | ARITH_T(S16))
#define BY_S32 ARITH_T(S32)
#define BY_F32 ARITH_T(F32)

#define SLCT_ROWS(W, WHAT)                                                                         \
  ROW("slct", "ttts", ANY##W, slct_##W, NULL, .from = BY_S32, .what = WHAT),                       \
      ROW("slct", "ttts", ANY##W, slct_##W, NULL, .from = BY_F32, .may = ARITH_FTZ)

static const ArithRow rows[] = {
    ROW("setp", "ptt", ARITH_T(B16) | ARITH_T(U16), setp_u16, "setp_%c_u16",
        .what = "a comparison; .and, .or or .xor combine it with a predicate",
        .extra = ARITH_COMPARISON | ARITH_LOGIC),
    ROW("setp", "ptt", ARITH_T(B32) | ARITH_T(U32), setp_u32, "setp_%c_u32",
        .extra = ARITH_COMPARISON | ARITH_LOGIC),
    ROW("setp", "ptt", ARITH_T(B64) | ARITH_T(U64), setp_u64, "setp_%c_u64",
        .extra = ARITH_COMPARISON | ARITH_LOGIC),
    ROW("setp", "ptt", ARITH_T(S16), setp_s16, "setp_%c_s16",
        .extra = ARITH_COMPARISON | ARITH_LOGIC),
    ROW("setp", "ptt", ARITH_T(S32), setp_s32, "setp_%c_s32",
        .extra = ARITH_COMPARISON | ARITH_LOGIC),
    ROW("setp", "ptt", ARITH_T(S64), setp_s64, "setp_%c_s64",
        .extra = ARITH_COMPARISON | ARITH_LOGIC),
    ROW("setp", "ptt", ARITH_T(F64), setp_f64, "setp_%c_f64",
        .extra = ARITH_COMPARISON | ARITH_LOGIC),
    ROW("setp", "ptt", ARITH_T(F32), setp_f32, "setp_%c_f32", .may = ARITH_FTZ,
        .extra = ARITH_COMPARISON | ARITH_LOGIC),
    ROW("setp", "ptt", HALF, setp_half, "setp_%c_%t", .may = ARITH_FTZ,
        .extra = ARITH_COMPARISON | ARITH_LOGIC),
    ROW("setp", "ptt", HALF2, setp_half2, NULL, .may = ARITH_FTZ,
        .extra = ARITH_COMPARISON | ARITH_LOGIC),
    ROW("set", "tss", ARITH_T(U32) | ARITH_T(S32) | ARITH_T(F32), set, NULL,
        .from = ANY16 | ANY32 | ANY64, .may = ARITH_FTZ,
        .what = "a comparison as a number: 1 or all ones if it holds",
        .extra = ARITH_COMPARISON | ARITH_LOGIC),
    ROW("set", "tss", HALF, set, NULL, .from = ANY16 | ANY32 | ANY64, .may = ARITH_FTZ,
        .extra = ARITH_COMPARISON | ARITH_LOGIC),
    ROW("set", "tss", INT16, set, NULL, .from = HALF, .may = ARITH_FTZ,
        .extra = ARITH_COMPARISON | ARITH_LOGIC),
    ROW("set", "tss", HALF2 | ARITH_T(U32) | ARITH_T(S32), set_half2, NULL, .from = HALF2,
        .may = ARITH_FTZ, .extra = ARITH_COMPARISON | ARITH_LOGIC),
    ROW("testp", "pt", ARITH_T(F32) | ARITH_T(F64), testp, NULL, .extra = ARITH_TEST,
        .what = "a property of a number"),
    ROW("selp", "tttm", ANY16, selp_16, "select_16", .what = "a or b, by a predicate"),
    ROW("selp", "tttm", ANY32, selp_32, "select_32"),
    ROW("selp", "tttm", ANY64, selp_64, "select_64"),
    SLCT_ROWS(16, "a or b, by the sign of c"),
    SLCT_ROWS(32, NULL),
    SLCT_ROWS(64, NULL),
};

ArithTable arith_compare_table(void) { return (ArithTable){rows, ARITH_COUNT(rows)}; }
