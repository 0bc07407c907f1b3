/* SPDX-License-Identifier: MIT */
/* expr_eval.h: evaluates expressions, for one set of values or for a warp's 32. */
#ifndef KGEN_SPEC_EXPR_EVAL_H
#define KGEN_SPEC_EXPR_EVAL_H

#include "spec/expr.h"

/* One warp's values: value[slot][lane]. Lanes outside `active` are neither computed nor checked. */
typedef struct {
  const int64_t (*value)[WARP];
  uint32_t active;
  bool as_int; /* every value must fit a C int, and every shift count its width */
} WarpEnv;

/* Evaluates all active lanes at once. Overflow, division by zero and bad shifts are reported at the
 * operator, once per expression, with the values that caused them; the result is then false. */
bool expr_eval_warp(const Expr *e, const WarpEnv *env, Diag *d, int64_t out[WARP]);
/* Like expr_eval_warp(), for one set of values, value[slot]. */
bool expr_eval(const Expr *e, const int64_t *value, Diag *d, int64_t *out);

#endif
