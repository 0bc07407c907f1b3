#include <string.h>

#include "spec/expr_node.h"

/* --- what the operators do, 32 lanes at once --- */

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

/* Indices are small and not negative: then no sum, difference or product overflows, loops without a
 * test are turned into vector instructions, and a 32-bit division is several times faster. */
static bool all_small(const int64_t *v) {
  uint64_t bits = 0;
  for (int i = 0; i < WARP; i++) bits |= (uint64_t)v[i];
  return bits >> 31 == 0;
}

/* `try` computes a lane and is true if it overflows; the result then wraps, and is not used. */
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

/* Which lanes can be divided; the others divide by 1 and are reported. */
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

/* A product with 2^b, so that nothing is lost unseen; 2^63 itself is no int64_t. */
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

/* Arithmetic, without leaning on what a compiler does with negative numbers. */
static Faults op_shr(const int64_t *a, const int64_t *b, int64_t *out) {
  for (int i = 0; i < WARP; i++) {
    const int s = (int)(b[i] & 63);
    out[i] = a[i] < 0 ? ~(~a[i] >> s) : a[i] >> s;
  }
  return bad_shifts(b);
}

/* A longer spelling stands before its own beginning. */
const Operator expr_binary_table[] = {
    {"<<", 8, NODE_BINARY, op_shl}, {">>", 8, NODE_BINARY, op_shr}, {"<=", 7, NODE_BINARY, op_le},
    {">=", 7, NODE_BINARY, op_ge},  {"==", 6, NODE_BINARY, op_eq},  {"!=", 6, NODE_BINARY, op_ne},
    {"&&", 2, NODE_AND, NULL},      {"||", 1, NODE_OR, NULL},       {"*", 10, NODE_BINARY, op_mul},
    {"/", 10, NODE_BINARY, op_div}, {"%", 10, NODE_BINARY, op_mod}, {"+", 9, NODE_BINARY, op_add},
    {"-", 9, NODE_BINARY, op_sub},  {"<", 7, NODE_BINARY, op_lt},   {">", 7, NODE_BINARY, op_gt},
    {"&", 5, NODE_BINARY, op_and},  {"^", 4, NODE_BINARY, op_xor},  {"|", 3, NODE_BINARY, op_or},
};
const int expr_binary_count = sizeof(expr_binary_table) / sizeof(*expr_binary_table);

const Operator expr_unary_table[] = {
    {"-", 0, NODE_UNARY, op_negate},
    {"+", 0, NODE_UNARY, op_plus},
    {"~", 0, NODE_UNARY, op_complement},
    {"!", 0, NODE_UNARY, op_not},
};
const int expr_unary_count = sizeof(expr_unary_table) / sizeof(*expr_unary_table);

/* --- evaluation --- */

typedef struct {
  const Expr *expr;
  const WarpEnv *env;
  Diag *diag;
  bool failed;
} Eval;

/* Appends "tx = 3" for every name below the node, each once. */
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

/* Records why the first of the lanes has no value. */
static void report(Eval *ev, const ExprNode *n, const Faults *f) {
  const uint32_t lanes = f->overflow | f->zero | f->shift;
  const int lane = __builtin_ctz(lanes);
  const uint32_t bit = UINT32_C(1) << lane;
  const char *why = f->zero & bit    ? "division by zero"
                    : f->shift & bit ? "shift by less than 0 or more than 63"
                                     : "overflow of 64 bits";
  bool said[EXPR_MAX_VARS] = {false};
  Arena *a = arena_new();
  Text values = text_new(a);
  list_values(&values, ev, n, lane, said);
  diag_error(ev->diag, expr_place(ev->expr, n->at, 1), "%s: %.*s%s", why, n->end - n->begin,
             ev->expr->text + n->begin, values.s);
  arena_free(a);
  ev->failed = true;
}

static const int64_t *eval(Eval *ev, const ExprNode *n, uint32_t active, int64_t own[WARP]);

static const int64_t *eval_operation(Eval *ev, const ExprNode *n, uint32_t active, int64_t *own) {
  int64_t left[WARP], right[WARP];
  const int64_t *a = eval(ev, n->a, active, left);
  const int64_t *b = n->b ? eval(ev, n->b, active, right) : NULL;
  if (ev->failed) return own;
  Faults f = n->run(a, b, own);
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

/* a && b, a || b: b is computed only for the lanes that a leaves open. */
static const int64_t *eval_logic(Eval *ev, const ExprNode *n, uint32_t active, int64_t *own) {
  int64_t kid[WARP];
  uint32_t holds = nonzero(eval(ev, n->a, active, kid), active);
  const uint32_t open = n->kind == NODE_AND ? holds : active & ~holds;
  if (open && !ev->failed) {
    const uint32_t second = nonzero(eval(ev, n->b, open, kid), open);
    holds = n->kind == NODE_AND ? second : holds | second;
  }
  for (int i = 0; i < WARP; i++) own[i] = holds >> i & 1;
  return own;
}

static void eval_branch(Eval *ev, const ExprNode *n, uint32_t active, int64_t *own) {
  if (!active || ev->failed) return;
  int64_t kid[WARP];
  const int64_t *v = eval(ev, n, active, kid);
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

/* The node's 32 values: its own array filled in, or a variable's or a constant's. Lanes that are
 * not active hold anything. */
static const int64_t *eval(Eval *ev, const ExprNode *n, uint32_t active, int64_t own[WARP]) {
  if (n->kind == NODE_CONST) return n->constant;
  if (n->kind == NODE_VAR) return ev->env->value[n->slot];
  memset(own, 0, sizeof(int64_t) * WARP);
  if (ev->failed) return own;
  if (n->kind == NODE_COND) return eval_cond(ev, n, active, own);
  if (n->kind == NODE_AND || n->kind == NODE_OR) return eval_logic(ev, n, active, own);
  return eval_operation(ev, n, active, own);
}

bool expr_eval_warp(const Expr *e, const WarpEnv *env, Diag *d, int64_t out[WARP]) {
  Eval ev = {e, env, d, false};
  const int64_t *v = eval(&ev, e->root, env->active, out);
  if (v != out) memcpy(out, v, sizeof(int64_t) * WARP);
  return !ev.failed;
}

static bool node_uses(const ExprNode *n, int slot) {
  if (!n) return false;
  if (n->kind == NODE_VAR) return n->slot == slot;
  return node_uses(n->a, slot) || node_uses(n->b, slot) || node_uses(n->c, slot);
}

bool expr_uses(const Expr *e, int slot) { return node_uses(e->root, slot); }

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
  const WarpEnv env = {(const int64_t(*)[WARP])lanes, 1};
  const bool ok = expr_eval_warp(e, &env, d, result);
  *out = result[0];
  return ok;
}

const char *expr_text(const Expr *e) { return e->text; }

Loc expr_loc(const Expr *e) { return e->loc; }
