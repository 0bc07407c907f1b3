/* expr_op.h: the operators of expressions: how they are spelled, how they bind, and what they do to
 * a warp's 32 values at once. */
#ifndef KGEN_SPEC_EXPR_OP_H
#define KGEN_SPEC_EXPR_OP_H

#include "model/tile.h"

typedef enum {
  NODE_CONST,
  NODE_VAR,
  NODE_LET, /* the expansion of a `let` that is evaluated anew for each use */
  NODE_UNARY,
  NODE_BINARY,
  NODE_AND,
  NODE_OR,
  NODE_COND
} ExprKind;

/* Why lanes fail: the bits are the lanes that do. */
typedef struct {
  uint32_t overflow, zero, shift;
} Faults;

/* Computes 32 lanes and says which of them have no result; those get 0. b: NULL of a unary one. */
typedef Faults (*LaneOp)(const int64_t *a, const int64_t *b, int64_t *out);

/* An operator's row: its spelling, how tightly it binds (higher first), and what it does. */
typedef struct {
  const char *spelling;
  int level;
  ExprKind kind;
  LaneOp run;
  bool shifts; /* b counts bits */
} Operator;

extern const Operator expr_binary_table[], expr_unary_table[];
extern const int expr_binary_count, expr_unary_count;

#endif
