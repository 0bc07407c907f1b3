/* SPDX-License-Identifier: MIT */
#include "spec/expr_eval.h"

#include <string.h>

typedef struct {
  /* expr: the part being evaluated: the whole expression or one of its lets */
  const Expr *whole, *expr;
  const WarpEnv *env;
  Diag *diag;
  bool failed;
} Eval;

/* Appends "tx = 3" for every name used below the node, without duplicates. */
static void list_values(Text *t, const Eval *ev, const ExprNode *n, int lane, bool *said) {
  if (!n) return;
  if (n->kind == NODE_VAR && !said[n->slot]) {
    said[n->slot] = true;
    text_printf(t, "%s%s = %lld", t->len ? ", " : " at ", n->name,
                (long long)ev->env->value[n->slot][lane]);
  }
  list_values(t, ev, n->a, lane, said);
  list_values(t, ev, n->b, lane, said);
  list_values(t, ev, n->c, lane, said);
}

/* Reports why the first failing lane has no value. */
static void report(Eval *ev, const ExprNode *n, const Faults *f) {
  const uint32_t lanes = f->overflow | f->zero | f->shift;
  const int lane = __builtin_ctz(lanes);
  const uint32_t bit = UINT32_C(1) << lane;
  const int bits = ev->env->as_int ? 32 : 64;
  bool said[EXPR_MAX_VARS] = {false};
  Arena *a = arena_new();
  Text values = text_new(a);
  const char *why = f->zero & bit ? "division by zero"
                    : f->shift & bit
                        ? arena_printf(a, "shift by less than 0 or more than %d", bits - 1)
                        : arena_printf(a, "overflow of %d bits", bits);
  list_values(&values, ev, n, lane, said);
  diag_error(ev->diag, expr_location(ev->expr, n->at, 1), "%s: %.*s%s", why, n->end - n->begin,
             ev->expr->text + n->begin, values.s);
  if (ev->expr != ev->whole) diag_hint(ev->diag, "evaluated for: %s", ev->whole->text);
  arena_free(a);
  ev->failed = true;
}

/* The lanes whose value does not fit an int in the generated code. The minimum int is excluded: -
 * and % overflow for it. */
static uint32_t beyond_int(const int64_t *v, int64_t least, int64_t most) {
  uint32_t lanes = 0;
  for (int i = 0; i < WARP; i++) lanes |= (uint32_t)(v[i] < least || v[i] > most) << i;
  return lanes;
}

static void add_int_faults(const ExprNode *n, const int64_t *b, const int64_t *v, Faults *f) {
  if (n->op->shifts) f->shift |= beyond_int(b, 0, 31);
  f->overflow |= beyond_int(v, -INT32_MAX, INT32_MAX);
}

static const int64_t *eval(Eval *ev, const ExprNode *n, uint32_t active, int64_t own[WARP]);

static const int64_t *eval_operation(Eval *ev, const ExprNode *n, uint32_t active, int64_t *own) {
  int64_t left[WARP], right[WARP];
  const int64_t *a = eval(ev, n->a, active, left);
  const int64_t *b = n->b ? eval(ev, n->b, active, right) : NULL;
  if (ev->failed) return own;
  Faults f = n->op->run(a, b, own);
  if (ev->env->as_int) add_int_faults(n, b, own, &f);
  if (!(f.overflow | f.zero | f.shift)) return own;
  f = (Faults){f.overflow & active, f.zero & active, f.shift & active};
  if (f.overflow | f.zero | f.shift) report(ev, n, &f);
  return own;
}

/* The lanes of `active` where v is not 0. */
static uint32_t nonzero(const int64_t *v, uint32_t active) {
  uint32_t m = 0;
  for (int i = 0; i < WARP; i++) m |= (uint32_t)(v[i] != 0) << i;
  return m & active;
}

/* a && b, a || b: b is computed only for the lanes that a does not decide. */
static const int64_t *eval_logic(Eval *ev, const ExprNode *n, uint32_t active, int64_t *own) {
  int64_t operand[WARP];
  uint32_t holds = nonzero(eval(ev, n->a, active, operand), active);
  const uint32_t open = n->kind == NODE_AND ? holds : active & ~holds;
  if (open && !ev->failed) {
    const uint32_t second = nonzero(eval(ev, n->b, open, operand), open);
    holds = n->kind == NODE_AND ? second : holds | second;
  }
  for (int i = 0; i < WARP; i++) own[i] = holds >> i & 1;
  return own;
}

static void eval_branch(Eval *ev, const ExprNode *n, uint32_t active, int64_t *own) {
  if (!active || ev->failed) return;
  int64_t operand[WARP];
  const int64_t *v = eval(ev, n, active, operand);
  for (int i = 0; i < WARP; i++)
    if (active >> i & 1) own[i] = v[i];
}

static const int64_t *eval_cond(Eval *ev, const ExprNode *n, uint32_t active, int64_t *own) {
  const uint32_t yes = nonzero(eval(ev, n->a, active, own), active);
  memset(own, 0, sizeof(int64_t) * WARP);
  eval_branch(ev, n->b, yes, own);
  eval_branch(ev, n->c, active & ~yes, own);
  return own;
}

static const int64_t *eval_let(Eval *ev, const ExprNode *n, uint32_t active, int64_t *own) {
  const Expr *user = ev->expr;
  ev->expr = n->let;
  const int64_t *v = eval(ev, n->a, active, own);
  ev->expr = user;
  return v;
}

/* Checks the value of a name or a number. */
static const int64_t *eval_known(Eval *ev, const ExprNode *n, uint32_t active, const int64_t *v) {
  if (!ev->env->as_int || ev->failed) return v;
  const Faults f = {.overflow = beyond_int(v, -INT32_MAX, INT32_MAX) & active};
  if (f.overflow) report(ev, n, &f);
  return v;
}

/* The node's 32 values: its own array filled in, or a variable's or a constant's. Inactive lanes
 * have undefined values. */
static const int64_t *eval(Eval *ev, const ExprNode *n, uint32_t active, int64_t own[WARP]) {
  if (n->kind == NODE_CONST) return eval_known(ev, n, active, n->constant);
  if (n->kind == NODE_VAR) return eval_known(ev, n, active, ev->env->value[n->slot]);
  if (n->kind == NODE_LET) return eval_let(ev, n, active, own);
  memset(own, 0, sizeof(int64_t) * WARP);
  if (ev->failed) return own;
  if (n->kind == NODE_COND) return eval_cond(ev, n, active, own);
  if (n->kind == NODE_AND || n->kind == NODE_OR) return eval_logic(ev, n, active, own);
  return eval_operation(ev, n, active, own);
}

bool expr_eval_warp(const Expr *e, const WarpEnv *env, Diag *d, int64_t out[WARP]) {
  Eval ev = {e, e, env, d, false};
  const int64_t *v = eval(&ev, e->root, env->active, out);
  if (v != out) memcpy(out, v, sizeof(int64_t) * WARP);
  return !ev.failed;
}

/* Copies the values that the node reads to all lanes. */
static void spread(const ExprNode *n, const int64_t *value, int64_t (*lanes)[WARP]) {
  if (!n) return;
  if (n->kind == NODE_VAR)
    for (int i = 0; i < WARP; i++) lanes[n->slot][i] = value[n->slot];
  spread(n->a, value, lanes);
  spread(n->b, value, lanes);
  spread(n->c, value, lanes);
}

bool expr_eval(const Expr *e, const int64_t *value, Diag *d, int64_t *out) {
  int64_t lanes[EXPR_MAX_VARS][WARP], result[WARP];
  if (e->root->kind == NODE_CONST) {
    *out = e->root->constant[0];
    return true;
  }
  spread(e->root, value, lanes);
  const WarpEnv env = {(const int64_t(*)[WARP])lanes, 1, false};
  const bool ok = expr_eval_warp(e, &env, d, result);
  *out = result[0];
  return ok;
}
