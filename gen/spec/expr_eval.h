/* expr_eval.h: evaluates expressions, for one set of values or for a warp's 32. */
#ifndef KGEN_SPEC_EXPR_EVAL_H
#define KGEN_SPEC_EXPR_EVAL_H

#include "spec/expr.h"

/* One warp's values: value[slot][lane]. Lanes that are not in `active` are neither computed nor
 * checked. */
typedef struct {
  const int64_t (*value)[WARP];
  uint32_t active;
  bool as_int; /* no value may leave the range of a C int, nor a shift its width */
} WarpEnv;

/* Evaluates for every active lane at once. Overflow, division by zero and bad shifts are recorded
 * at the operator, once an expression, with the values that caused it; then the result is false. */
bool expr_eval_warp(const Expr *e, const WarpEnv *env, Diag *d, int64_t out[WARP]);
/* The same for one set of values, value[slot]. */
bool expr_eval(const Expr *e, const int64_t *value, Diag *d, int64_t *out);

#endif
