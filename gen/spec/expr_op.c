/* SPDX-License-Identifier: MIT */
#include "spec/expr_op.h"

#define OPERATION(name, result)                                                                    \
  static Faults name(const int64_t *a, const int64_t *b, int64_t *out) {                           \
    for (int i = 0; i < WARP; i++) out[i] = (result);                                              \
    return (Faults){0, 0, 0};                                                                      \
  }

OPERATION(op_lt, a[i] < b[i])
OPERATION(op_le, a[i] <= b[i])
OPERATION(op_gt, a[i] > b[i])
OPERATION(op_ge, a[i] >= b[i])
OPERATION(op_eq, a[i] == b[i])
OPERATION(op_ne, a[i] != b[i])
OPERATION(op_and, a[i] & b[i])
OPERATION(op_xor, a[i] ^ b[i])
OPERATION(op_or, a[i] | b[i])

#define UNARY_OPERATION(name, result)                                                              \
  static Faults name(const int64_t *a, const int64_t *b, int64_t *out) {                           \
    (void)b;                                                                                       \
    for (int i = 0; i < WARP; i++) out[i] = (result);                                              \
    return (Faults){0, 0, 0};                                                                      \
  }

UNARY_OPERATION(op_plus, a[i])
UNARY_OPERATION(op_complement, ~a[i])
UNARY_OPERATION(op_not, !a[i])

/* Fast path for values in [0, 2^31), which indices nearly always are: sums, differences and
 * products cannot overflow 64 bits, so the loop needs no checks and vectorizes, and 32-bit division
 * suffices. */
static bool all_small(const int64_t *v) {
  uint64_t bits = 0;
  for (int i = 0; i < WARP; i++) bits |= (uint64_t)v[i];
  return bits >> 31 == 0;
}

/* `try` computes a lane and returns true if it overflows; the result then wraps and is not used. */
#define CHECKED_OPERATION(name, op, try)                                                           \
  static Faults name(const int64_t *a, const int64_t *b, int64_t *out) {                           \
    Faults f = {0, 0, 0};                                                                          \
    if (all_small(a) && all_small(b))                                                              \
      for (int i = 0; i < WARP; i++) out[i] = (int64_t)((uint64_t)a[i] op(uint64_t) b[i]);         \
    else                                                                                           \
      for (int i = 0; i < WARP; i++) f.overflow |= (uint32_t)(try(a[i], b[i], &out[i])) << i;      \
    return f;                                                                                      \
  }

CHECKED_OPERATION(op_add, +, __builtin_add_overflow)
CHECKED_OPERATION(op_sub, -, __builtin_sub_overflow)
CHECKED_OPERATION(op_mul, *, __builtin_mul_overflow)

static Faults op_negate(const int64_t *a, const int64_t *b, int64_t *out) {
  (void)b;
  static const int64_t zero[WARP];
  return op_sub(zero, a, out);
}

/* Replaces invalid divisors by 1 and reports their lanes. */
static Faults divisors(const int64_t *a, const int64_t *b, int64_t safe[WARP]) {
  Faults f = {0, 0, 0};
  for (int i = 0; i < WARP; i++) {
    const bool zero = b[i] == 0, over = a[i] == INT64_MIN && b[i] == -1;
    f.zero |= (uint32_t)zero << i;
    f.overflow |= (uint32_t)over << i;
    safe[i] = zero || over ? 1 : b[i];
  }
  return f;
}

#define DIVISION(name, op)                                                                         \
  static Faults name(const int64_t *a, const int64_t *b, int64_t *out) {                           \
    int64_t safe[WARP];                                                                            \
    const Faults f = divisors(a, b, safe);                                                         \
    if (all_small(a) && all_small(safe))                                                           \
      for (int i = 0; i < WARP; i++) out[i] = (uint32_t)a[i] op(uint32_t) safe[i];                 \
    else                                                                                           \
      for (int i = 0; i < WARP; i++) out[i] = a[i] op safe[i];                                     \
    return f;                                                                                      \
  }

DIVISION(op_div, /)
DIVISION(op_mod, %)

static Faults bad_shifts(const int64_t *b) {
  Faults f = {0, 0, 0};
  for (int i = 0; i < WARP; i++) f.shift |= (uint32_t)(b[i] < 0 || b[i] > 63) << i;
  return f;
}

/* Computed as a product with 2^b, so that overflow is detected; 2^63 itself is not an int64_t. */
static Faults op_shl(const int64_t *a, const int64_t *b, int64_t *out) {
  Faults f = bad_shifts(b);
  for (int i = 0; i < WARP; i++) {
    const int s = (int)(b[i] & 63);
    const bool over =
        s == 63 ? a[i] != 0 && a[i] != -1 : __builtin_mul_overflow(a[i], INT64_C(1) << s, &out[i]);
    if (s == 63) out[i] = a[i] ? INT64_MIN : 0;
    f.overflow |= (uint32_t)over << i;
  }
  f.overflow &= ~f.shift;
  return f;
}

/* An arithmetic shift that does not rely on implementation-defined behaviour for negative
 * numbers. */
static Faults op_shr(const int64_t *a, const int64_t *b, int64_t *out) {
  for (int i = 0; i < WARP; i++) {
    const int s = (int)(b[i] & 63);
    out[i] = a[i] < 0 ? ~(~a[i] >> s) : a[i] >> s;
  }
  return bad_shifts(b);
}

/* A longer operator comes before its prefixes. */
const Operator expr_binary_table[] = {
    {"<<", 8, NODE_BINARY, op_shl, true},  {">>", 8, NODE_BINARY, op_shr, true},
    {"<=", 7, NODE_BINARY, op_le, false},  {">=", 7, NODE_BINARY, op_ge, false},
    {"==", 6, NODE_BINARY, op_eq, false},  {"!=", 6, NODE_BINARY, op_ne, false},
    {"&&", 2, NODE_AND, NULL, false},      {"||", 1, NODE_OR, NULL, false},
    {"*", 10, NODE_BINARY, op_mul, false}, {"/", 10, NODE_BINARY, op_div, false},
    {"%", 10, NODE_BINARY, op_mod, false}, {"+", 9, NODE_BINARY, op_add, false},
    {"-", 9, NODE_BINARY, op_sub, false},  {"<", 7, NODE_BINARY, op_lt, false},
    {">", 7, NODE_BINARY, op_gt, false},   {"&", 5, NODE_BINARY, op_and, false},
    {"^", 4, NODE_BINARY, op_xor, false},  {"|", 3, NODE_BINARY, op_or, false},
};
const int expr_binary_count = sizeof(expr_binary_table) / sizeof(*expr_binary_table);

const Operator expr_unary_table[] = {
    {"-", 0, NODE_UNARY, op_negate, false},
    {"+", 0, NODE_UNARY, op_plus, false},
    {"~", 0, NODE_UNARY, op_complement, false},
    {"!", 0, NODE_UNARY, op_not, false},
};
const int expr_unary_count = sizeof(expr_unary_table) / sizeof(*expr_unary_table);
