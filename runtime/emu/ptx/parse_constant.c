/* SPDX-License-Identifier: MIT */
/* Constant expressions by the rules of the PTX ISA, section 4.5. Where these are incomplete, ptxas
 * decides: `%` is always unsigned, `?:` has the type of the selected operand, and shifts use six
 * bits of their second operand. */
#include "emu/ptx/parse_constant.h"

#include <string.h>

enum { MAX_DEPTH = 200 };

typedef enum {
  LOGICAL_OR,
  LOGICAL_AND,
  BIT_OR,
  BIT_XOR,
  BIT_AND,
  EQUAL,
  NOT_EQUAL,
  LESS_EQUAL,
  GREATER_EQUAL,
  SHIFT_LEFT,
  SHIFT_RIGHT,
  LESS,
  GREATER,
  PLUS,
  MINUS,
  TIMES,
  DIVIDE,
  MODULO,
  OPERATORS
} Operator;

/* A longer operator comes before its prefixes. */
static const struct {
  char text[3];
  Operator op;
  int level; /* a higher level binds tighter */
} table[OPERATORS] = {
    {"||", LOGICAL_OR, 1}, {"&&", LOGICAL_AND, 2}, {"|", BIT_OR, 3},         {"^", BIT_XOR, 4},
    {"&", BIT_AND, 5},     {"==", EQUAL, 6},       {"!=", NOT_EQUAL, 6},     {"<=", LESS_EQUAL, 7},
    {"<<", SHIFT_LEFT, 8}, {"<", LESS, 7},         {">=", GREATER_EQUAL, 7}, {">>", SHIFT_RIGHT, 8},
    {">", GREATER, 7},     {"+", PLUS, 9},         {"-", MINUS, 9},          {"*", TIMES, 10},
    {"/", DIVIDE, 10},     {"%", MODULO, 10},
};

static Constant conditional(Parser *p, int depth);

static Constant integer(uint64_t value, bool is_unsigned) {
  return (Constant){TOKEN_INT, is_unsigned, value};
}

static double as_double(Constant c) {
  double d;
  memcpy(&d, &c.value, sizeof d);
  return d;
}

static Constant real(double d) {
  Constant c = {.kind = TOKEN_F64};
  memcpy(&c.value, &d, sizeof d);
  return c;
}

static void need_integer(Parser *p, Constant c) {
  if (c.kind != TOKEN_INT) ptx_fail(p, "expected an integer constant before this,");
}

/* --- operands of operators --- */

static bool is_word(const Token *t, const char *word) { return ptx_token_is(t, word); }

bool ptx_is_constant(const Parser *p) {
  const Token *t = &p->token;
  if (t->kind == TOKEN_WORD) return is_word(t, "WARP_SZ");
  const bool sign = ptx_token_is_punct(t, '-') || ptx_token_is_punct(t, '!');
  return !sign || p->ahead.kind != TOKEN_WORD || is_word(&p->ahead, "WARP_SZ");
}

static Constant literal(Parser *p) {
  const Token t = p->token;
  const bool suffix = t.kind == TOKEN_INT && t.text[t.length - 1] == 'U';
  Constant c = {t.kind, suffix || t.value >> 63, t.value};
  if (is_word(&t, "WARP_SZ"))
    c = integer(EMU_LANES, false);
  else if (t.kind != TOKEN_INT && t.kind != TOKEN_F32 && t.kind != TOKEN_F64)
    ptx_fail(p, "expected an operand");
  if (!p->failed) ptx_advance(p);
  return c;
}

static Constant negative(Constant c) {
  if (c.kind == TOKEN_INT)
    c.value = 0 - c.value;
  else
    c.value ^= 1ull << (c.kind == TOKEN_F32 ? 31 : 63);
  return c;
}

static Constant unary(Parser *p, int depth);

/* Parses (.u64) x, or (x). */
static Constant parenthesis(Parser *p, int depth) {
  const bool to_unsigned = is_word(&p->token, ".u64");
  if (to_unsigned || is_word(&p->token, ".s64")) {
    ptx_advance(p);
    ptx_expect(p, ')');
    const Constant c = unary(p, depth);
    need_integer(p, c);
    return integer(c.value, to_unsigned);
  }
  const Constant c = conditional(p, depth);
  ptx_expect(p, ')');
  return c;
}

static Constant unary(Parser *p, int depth) {
  if (depth >= MAX_DEPTH) ptx_fail(p, "constant expression too deep");
  if (p->failed) return integer(0, false);
  if (ptx_take(p, '(')) return parenthesis(p, depth + 1);
  if (ptx_take(p, '+')) return unary(p, depth + 1);
  if (ptx_take(p, '-')) return negative(unary(p, depth + 1));
  const bool logical = ptx_token_is_punct(&p->token, '!');
  if (!logical && !ptx_token_is_punct(&p->token, '~')) return literal(p);
  ptx_advance(p);
  const Constant c = unary(p, depth + 1);
  need_integer(p, c);
  return logical ? integer(!c.value, false) : integer(~c.value, true);
}

/* --- operators --- */

static bool compare(Operator op, int order) {
  switch (op) {
  case EQUAL: return order == 0;
  case NOT_EQUAL: return order != 0;
  case LESS: return order < 0;
  case LESS_EQUAL: return order <= 0;
  case GREATER: return order > 0;
  default: return order >= 0;
  }
}

static bool is_comparison(Operator op) {
  return op == EQUAL || op == NOT_EQUAL || op == LESS || op == LESS_EQUAL || op == GREATER ||
         op == GREATER_EQUAL;
}

static Constant divide(Parser *p, Constant a, Constant b) {
  const bool is_unsigned = a.is_unsigned || b.is_unsigned;
  if (!b.value) ptx_fail(p, "a constant divided by zero before this,");
  if (!b.value) return a;
  if (is_unsigned) return integer(a.value / b.value, true);
  if (b.value == UINT64_MAX) return negative(a);
  return integer((uint64_t)((int64_t)a.value / (int64_t)b.value), false);
}

static Constant modulo(Parser *p, Constant a, Constant b) {
  if (!b.value) ptx_fail(p, "a constant divided by zero before this,");
  return integer(b.value ? a.value % b.value : 0, a.is_unsigned || b.is_unsigned);
}

static Constant shift(Operator op, Constant a, uint64_t by) {
  by &= 63;
  if (op == SHIFT_LEFT) return integer(a.value << by, a.is_unsigned);
  const uint64_t sign = !a.is_unsigned && a.value >> 63 && by ? ~0ull << (64 - by) : 0;
  return integer(a.value >> by | sign, a.is_unsigned);
}

static int order_of(Constant a, Constant b) {
  const uint64_t flip = a.is_unsigned || b.is_unsigned ? 0 : 1ull << 63;
  const uint64_t x = a.value ^ flip, y = b.value ^ flip;
  return (x > y) - (x < y);
}

static Constant of_integers(Parser *p, Operator op, Constant a, Constant b) {
  const bool is_unsigned = a.is_unsigned || b.is_unsigned;
  switch (op) {
  case LOGICAL_OR: return integer(a.value || b.value, false);
  case LOGICAL_AND: return integer(a.value && b.value, false);
  case BIT_OR: return integer(a.value | b.value, is_unsigned);
  case BIT_XOR: return integer(a.value ^ b.value, is_unsigned);
  case BIT_AND: return integer(a.value & b.value, is_unsigned);
  case SHIFT_LEFT:
  case SHIFT_RIGHT: return shift(op, a, b.value);
  case PLUS: return integer(a.value + b.value, is_unsigned);
  case MINUS: return integer(a.value - b.value, is_unsigned);
  case TIMES: return integer(a.value * b.value, is_unsigned);
  case DIVIDE: return divide(p, a, b);
  case MODULO: return modulo(p, a, b);
  default: return integer(compare(op, order_of(a, b)), false);
  }
}

static Constant of_reals(Parser *p, Operator op, Constant a, Constant b) {
  const double x = as_double(a), y = as_double(b);
  if (is_comparison(op)) return integer(compare(op, (x > y) - (x < y)), false);
  switch (op) {
  case PLUS: return real(x + y);
  case MINUS: return real(x - y);
  case TIMES: return real(x * y);
  case DIVIDE:
    if (y == 0) ptx_fail(p, "a constant divided by zero before this,");
    return y == 0 ? a : real(x / y);
  default: need_integer(p, a); return a;
  }
}

static Constant apply(Parser *p, Operator op, Constant a, Constant b) {
  if (a.kind == TOKEN_INT && b.kind == TOKEN_INT) return of_integers(p, op, a, b);
  if (a.kind == TOKEN_F64 && b.kind == TOKEN_F64) return of_reals(p, op, a, b);
  ptx_fail(p, "constants of different types before this,");
  return a;
}

/* The operator at the current token; -1: none. */
static int operator_at(const Parser *p) {
  if (p->token.kind != TOKEN_PUNCT) return -1;
  for (int i = 0; i < OPERATORS; i++) {
    const char *text = table[i].text;
    if (ptx_token_is_punct(&p->token, text[0]) &&
        (!text[1] || ptx_token_is_punct(&p->ahead, text[1])))
      return i;
  }
  return -1;
}

static Constant binary(Parser *p, int level, int depth) {
  Constant c = unary(p, depth);
  for (int at; (at = operator_at(p)) >= 0 && table[at].level > level && !p->failed;) {
    ptx_advance(p);
    if (table[at].text[1]) ptx_advance(p);
    c = apply(p, table[at].op, c, binary(p, table[at].level, depth + 1));
  }
  return c;
}

static Constant conditional(Parser *p, int depth) {
  const Constant c = binary(p, 0, depth);
  if (p->failed || !ptx_take(p, '?')) return c;
  need_integer(p, c);
  const Constant yes = conditional(p, depth + 1);
  ptx_expect(p, ':');
  const Constant no = conditional(p, depth + 1);
  return c.value ? yes : no;
}

Constant ptx_constant(Parser *p) { return conditional(p, 0); }

int64_t ptx_constant_int(Parser *p) {
  const Constant c = ptx_constant(p);
  need_integer(p, c);
  return (int64_t)c.value;
}
