/* SPDX-License-Identifier: MIT */
/* expr_op.h: the operators of expressions: spelling, precedence, and evaluation for 32 lanes. */
#ifndef KGEN_SPEC_EXPR_OP_H
#define KGEN_SPEC_EXPR_OP_H

#include "model/tile.h"

typedef enum {
  NODE_CONST,
  NODE_VAR,
  NODE_LET, /* the expansion of a `let` that is evaluated at each use */
  NODE_UNARY,
  NODE_BINARY,
  NODE_AND,
  NODE_OR,
  NODE_COND
} ExprKind;

/* The reasons why lanes fail, as lane masks. */
typedef struct {
  uint32_t overflow, zero, shift;
} Faults;

/* Computes 32 lanes and returns the lanes without a result, which get 0. b: NULL for a unary
 * operator. */
typedef Faults (*LaneOp)(const int64_t *a, const int64_t *b, int64_t *out);

/* An operator's row: its spelling, precedence (higher binds tighter), and function. */
typedef struct {
  const char *spelling;
  int level;
  ExprKind kind;
  LaneOp run;
  bool shifts; /* b is a bit count */
} Operator;

extern const Operator expr_binary_table[], expr_unary_table[];
extern const int expr_binary_count, expr_unary_count;

#endif
