/* SPDX-License-Identifier: MIT */
/* arith_row.h: tables of arithmetic opcodes, and the loops over lanes that execute them. */
#ifndef KGEN_EMU_ARITH_ARITH_ROW_H
#define KGEN_EMU_ARITH_ARITH_ROW_H

#include <stddef.h>
#include <string.h>

#include "emu/arith/arith.h"
#include "emu/arith/lanes.h"

/* A set of types; sets of roundings. */
#define ARITH_T(name)      (UINT64_C(1) << ARITH_##name)
#define ARITH_NEAREST      (1u << ARITH_ROUND_NONE | 1u << ARITH_RN)
#define ARITH_ANY_ROUND    (ARITH_NEAREST | 1u << ARITH_RZ | 1u << ARITH_RM | 1u << ARITH_RP)
#define ARITH_HALVES       (ARITH_T(F16) | ARITH_T(F16X2) | ARITH_T(BF16) | ARITH_T(BF16X2))
#define ARITH_COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* Values of ArithInsn.mode for prmt and for testp. */
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
typedef struct {
  char op[12];
  uint8_t types[3], n_types;
  uint8_t round, compare, logic, mode;
  uint32_t flags;
} ArithParts;

/* ArithRow.extra: words that an opcode must have (COMPARISON, TEST) or may have. */
enum { ARITH_COMPARISON = 1, ARITH_TEST = 2, ARITH_LOGIC = 4, ARITH_PRMT_MODE = 8 };

/* One form of an opcode: how it is written, executed, translated to C, and documented.
 *
 * `shape` lists the operand types, destination first: t is the opcode's first type, s the second, w
 * a type twice as wide as t, u is u32, k is u32 and a constant in translated code, b is b32, p a
 * predicate, and m (last) a predicate operand after the value operands.
 *
 * `native` is the function of translate/prelude_values.h that computes the row without its optional
 * flags, in its default mode, and rounded to nearest; NULL: translated code calls the interpreter.
 * In it, %t and %s are the first and second type, %c the comparison, %r the rounding, and %z "ftz_"
 * for .ftz. */
struct ArithRow {
  const char *op, *shape;
  uint64_t types; /* allowed types */
  ArithFn fn;
  const char *native;
  uint64_t from, third; /* allowed second and third types; 0: the opcode has none */
  uint32_t must, may;   /* required and allowed flags */
  uint32_t rounds;      /* allowed roundings; 0: none may be written */
  uint32_t extra;
  const char *what; /* for the documentation; in the opcode's first row */
};

/* A row; after these columns come others with their names, or none. */
#define ROW(OP, SHAPE, TYPES, FN, ...)                                                             \
  { .op = OP, .shape = SHAPE, .types = TYPES, .fn = FN, .native = __VA_ARGS__ }

typedef struct {
  const ArithRow *rows;
  size_t count;
} ArithTable;

/* The parameters of every lane function, with ArithFn's types. */
#define ARITH_PARAMS                                                                               \
  const ArithInsn *insn, uint64_t *d, const uint64_t *const *s, uint32_t active, uint32_t mask
#define ARITH_UNUSED ((void)insn, (void)mask)

/* Executes the statement for each lane of `active`; for all 32 lanes in a loop that the compiler
 * vectorizes. Registers are equal or disjoint, so no lane depends on another. */
#define ARITH_EACH(i, active, ...)                                                                 \
  if ((active) == ALL_LANES) {                                                                     \
    _Pragma("omp simd") for (uint32_t i = 0; i < LANES; i++) __VA_ARGS__                           \
  } else {                                                                                         \
    FOR_LANES(i, active) __VA_ARGS__                                                               \
  }

/* Defines a static ArithFn NAME: d = EXPR of a, b, c read as T, written as the unsigned type U. */
#define ARITH_UNARY(NAME, T, U, EXPR)                                                              \
  static uint32_t NAME(ARITH_PARAMS) {                                                             \
    ARITH_UNUSED;                                                                                  \
    ARITH_EACH(i, active, {                                                                        \
      const T a = (T)s[0][i];                                                                      \
      d[i] = (uint64_t)(U)(EXPR);                                                                  \
    })                                                                                             \
    return 0;                                                                                      \
  }
#define ARITH_BINARY(NAME, T, U, EXPR)                                                             \
  static uint32_t NAME(ARITH_PARAMS) {                                                             \
    ARITH_UNUSED;                                                                                  \
    ARITH_EACH(i, active, {                                                                        \
      const T a = (T)s[0][i], b = (T)s[1][i];                                                      \
      d[i] = (uint64_t)(U)(EXPR);                                                                  \
    })                                                                                             \
    return 0;                                                                                      \
  }
#define ARITH_TERNARY(NAME, T, U, EXPR)                                                            \
  static uint32_t NAME(ARITH_PARAMS) {                                                             \
    ARITH_UNUSED;                                                                                  \
    ARITH_EACH(i, active, {                                                                        \
      const T a = (T)s[0][i], b = (T)s[1][i], c = (T)s[2][i];                                      \
      d[i] = (uint64_t)(U)(EXPR);                                                                  \
    })                                                                                             \
    return 0;                                                                                      \
  }

#endif
