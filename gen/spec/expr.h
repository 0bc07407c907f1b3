/* expr.h: integer expressions of specs: C operators, precedence and short circuits over named
 * 64-bit values. */
#ifndef KGEN_EXPR_H
#define KGEN_EXPR_H

#include "model/tile.h"

enum { EXPR_MAX_VARS = 128 };
/* What is refused, so that parsing and evaluation need a bounded stack. */
enum { EXPR_MAX_TEXT = 4096, EXPR_MAX_DEPTH = 64, EXPR_MAX_NODES = 512 };

typedef struct Expr Expr;

/* The names that an expression may use. A name's index is its slot in the values it is evaluated
 * with. */
typedef struct {
  int count;
  const char *name[EXPR_MAX_VARS];
} Names;

int names_add(Names *n, const char *name); /* its slot; -1 when full */
int names_find(const Names *n, const char *name);

/* Parses `text`, which stands at `loc`; errors (with a hint for a near-miss name) go to d, at their
 * own column if loc.width is the length of the text, else at loc. NULL on error. Numbers are
 * decimal or 0x, without a leading 0. Unlike in C, shifting a negative number left multiplies it.
 */
const Expr *expr_parse(Arena *a, Diag *d, Loc loc, const char *text, const Names *names);

/* One warp's values: value[slot][lane]. Lanes that are not in `active` are neither computed nor
 * checked. */
typedef struct {
  const int64_t (*value)[WARP];
  uint32_t active;
} WarpEnv;

/* Evaluates for every active lane at once. Overflow, division by zero and bad shifts are recorded
 * at the operator, once an expression, with the values that caused it; then the result is false. */
bool expr_eval_warp(const Expr *e, const WarpEnv *env, Diag *d, int64_t out[WARP]);
/* The same for one set of values, value[slot]. */
bool expr_eval(const Expr *e, const int64_t *value, Diag *d, int64_t *out);
/* True if the expression reads that slot. */
bool expr_uses(const Expr *e, int slot);
/* The text it was parsed from and where. */
const char *expr_text(const Expr *e);
Loc expr_loc(const Expr *e);

#endif
