/* arith_impl.h: what the files of the arithmetic share; not for others. */
#ifndef KGEN_EMU_ARITH_IMPL_H
#define KGEN_EMU_ARITH_IMPL_H

#include "emu/arith/arith.h"

#include <stddef.h>
#include <string.h>

/* A set of types, of roundings. */
#define ARITH_T(name)      (1u << ARITH_##name)
#define ARITH_NEAREST      (1u << ARITH_ROUND_NONE | 1u << ARITH_RN)
#define ARITH_ANY_ROUND    (ARITH_NEAREST | 1u << ARITH_RZ | 1u << ARITH_RM | 1u << ARITH_RP)
#define ARITH_HALVES       (ARITH_T(F16) | ARITH_T(F16X2) | ARITH_T(BF16) | ARITH_T(BF16X2))
#define ARITH_COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* ArithInsn.mode, of prmt and of testp. */
enum {
  ARITH_PRMT_F4E = 1,
  ARITH_PRMT_B4E,
  ARITH_PRMT_RC8,
  ARITH_PRMT_ECL,
  ARITH_PRMT_ECR,
  ARITH_PRMT_RC16,
  ARITH_TEST_FINITE,
  ARITH_TEST_INFINITE,
  ARITH_TEST_NUMBER,
  ARITH_TEST_NAN,
  ARITH_TEST_NORMAL,
  ARITH_TEST_SUBNORMAL
};

/* An opcode's words, sorted by kind. */
typedef struct ArithParts {
  char op[12];
  uint8_t types[3], n_types;
  uint8_t round, compare, logic, mode;
  uint32_t flags;
} ArithParts;

/*
 * One way to execute an opcode. `shape` names the operand types, the destination first: t the first
 * type of the opcode, s the second, w twice as wide as t, u u32, p a predicate, m (last) a
 * predicate operand after the value operands.
 */
typedef struct ArithRow {
  const char *op, *shape;
  uint32_t types, types2; /* allowed; types2 is 0 where the opcode has one type */
  uint32_t must, may;     /* flags */
  uint32_t rounds;        /* 0: no rounding may be written */
  ArithFn fn;
} ArithRow;

typedef struct ArithTable {
  const ArithRow *rows;
  size_t count;
} ArithTable;

ArithTable arith_int_table(void);
ArithTable arith_mul_table(void);
ArithTable arith_bits_table(void);
ArithTable arith_float_table(void);
ArithTable arith_half_table(void);
ArithTable arith_approx_table(void);
ArithTable arith_compare_table(void);
/* cvt combines too many types for rows. */
ArithStatus arith_resolve_cvt(const ArithParts *parts, ArithInsn *insn);
/* vabsdiff2 and vabsdiff4 name three types. */
ArithStatus arith_resolve_video(const ArithParts *parts, ArithInsn *insn);

/* Splits an opcode; REFUSED if a word is unknown, repeated, or out of order. */
ArithStatus arith_split(const char *opcode, ArithParts *parts);

/* Every lane function has ArithFn's parameters under these names. */
#define ARITH_PARAMS                                                                               \
  const ArithInsn *insn, uint64_t *d, const uint64_t *const *s, uint32_t active, uint32_t mask
#define ARITH_UNUSED ((void)insn, (void)mask)

/* For each active lane i; one test and one bit scan per lane, whatever the mask. */
#define ARITH_LANES(i)                                                                             \
  for (uint32_t left_ = active, i = 0; left_ != 0 && (i = (uint32_t)__builtin_ctz(left_), true);   \
       left_ &= left_ - 1)

/* static ArithFn NAME: d = EXPR of a, b, c read as T, written as the unsigned U. */
#define ARITH_UNARY(NAME, T, U, EXPR)                                                              \
  static uint32_t NAME(ARITH_PARAMS) {                                                             \
    ARITH_UNUSED;                                                                                  \
    ARITH_LANES(i) {                                                                               \
      const T a = (T)s[0][i];                                                                      \
      d[i] = (uint64_t)(U)(EXPR);                                                                  \
    }                                                                                              \
    return 0;                                                                                      \
  }
#define ARITH_BINARY(NAME, T, U, EXPR)                                                             \
  static uint32_t NAME(ARITH_PARAMS) {                                                             \
    ARITH_UNUSED;                                                                                  \
    ARITH_LANES(i) {                                                                               \
      const T a = (T)s[0][i], b = (T)s[1][i];                                                      \
      d[i] = (uint64_t)(U)(EXPR);                                                                  \
    }                                                                                              \
    return 0;                                                                                      \
  }
#define ARITH_TERNARY(NAME, T, U, EXPR)                                                            \
  static uint32_t NAME(ARITH_PARAMS) {                                                             \
    ARITH_UNUSED;                                                                                  \
    ARITH_LANES(i) {                                                                               \
      const T a = (T)s[0][i], b = (T)s[1][i], c = (T)s[2][i];                                      \
      d[i] = (uint64_t)(U)(EXPR);                                                                  \
    }                                                                                              \
    return 0;                                                                                      \
  }

/* A binary floating-point format of at most 64 bits. */
typedef struct ArithFormat {
  uint8_t bits, fraction; /* width, explicit fraction bits */
  int16_t bias;
  uint8_t infinity; /* 1 if the largest exponent holds inf and NaN; e4m3 has only NaN, all ones */
  uint8_t tail;     /* unused low bits below the fraction (tf32) */
  uint64_t max;     /* largest finite magnitude, tail excluded */
  uint64_t nan;     /* canonical NaN */
} ArithFormat;

/* The format of a scalar or packed type's element; NULL if it is no float. */
const ArithFormat *arith_format(ArithType type);

/*
 * x rounded once to the format. Overflow gives what IEEE 754 says for the rounding, or, if
 * `finite`, the largest finite value, also for an infinite x. NaN gives the canonical NaN.
 */
uint64_t arith_encode(const ArithFormat *format, double x, ArithRound round, bool finite);

/* The integer `magnitude`, negated if `negative`, rounded once to the format. */
uint64_t arith_encode_int(const ArithFormat *format, uint64_t magnitude, bool negative,
                          ArithRound round, bool finite);

/* a + b rounded to odd: rounding it again to 51 bits or fewer is as good as rounding once. */
double arith_add_odd(double a, double b);

/* PTX's min and max of values that the types' formats hold; flags: KEEP_NAN, XORSIGN. */
double arith_min_max(double a, double b, bool is_max, uint32_t flags);

static inline float arith_f32(uint64_t bits) {
  const uint32_t low = (uint32_t)bits;
  float x;
  memcpy(&x, &low, sizeof x);
  return x;
}

static inline uint64_t arith_f32_bits(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline double arith_f64(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static inline uint64_t arith_f64_bits(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* Every f32 instruction that computes returns this NaN, whatever its operands' payloads. */
#define ARITH_NAN32 0x7fffffffu

static inline uint64_t arith_f32_result(float x) {
  return x == x ? arith_f32_bits(x) : ARITH_NAN32;
}

/* .ftz: a subnormal becomes a zero of its sign. */
static inline uint32_t arith_flush32(uint32_t bits) {
  return (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
}

/* Zeros, subnormals, infinities and NaNs of arith_decode. */
double arith_decode_rare(const ArithFormat *format, uint64_t bits);

/* The exact value; a NaN becomes a quiet one. e.g. bits of f16 0x3c00 -> 1.0 */
static inline double arith_decode(const ArithFormat *format, uint64_t bits) {
  if (format->bits == 64) return arith_f64(bits);
  const unsigned sign_at = format->bits - 1u, fraction = format->fraction;
  const uint64_t magnitude = (bits & ((1ull << sign_at) - 1)) >> format->tail;
  const uint64_t field = magnitude >> fraction;
  if (field == 0 || magnitude > format->max) return arith_decode_rare(format, bits);
  /* A normal number keeps its fraction and changes its exponent's bias. */
  const uint64_t rebias = (uint64_t)(1023 - format->bias) << 52;
  return arith_f64(((magnitude << (52 - fraction)) + rebias) | (bits >> sign_at & 1) << 63);
}

/* .sat of floats: [+0, 1], NaN becomes +0. */
static inline double arith_saturate(double x) { return x > 0 ? (x < 1 ? x : 1) : 0; }

#endif
