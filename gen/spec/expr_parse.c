#include <string.h>

#include "base/utf8.h"
#include "spec/expr_node.h"

int names_find(const Names *n, const char *name) {
  for (int i = 0; i < n->count; i++)
    if (strcmp(n->name[i], name) == 0) return i;
  return -1;
}

int names_add(Names *n, const char *name) {
  if (n->count == EXPR_MAX_VARS) return -1;
  n->name[n->count] = name;
  return n->count++;
}

typedef struct {
  Arena *arena;
  Diag *diag;
  Expr *expr;
  const Names *names;
  const char *text;
  int at; /* the next byte */
  int depth, nodes;
  bool failed; /* after a syntax error nothing more is reported */
  bool wrong;  /* an unknown name: reported, and the parse goes on */
} Parser;

static const ExprNode *parse_cond(Parser *p);

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static void skip_space(Parser *p) {
  while (is_space(p->text[p->at])) p->at++;
}

/* Reports a syntax error, unless one was. Always NULL. */
static const ExprNode *fail(Parser *p, int at, int width, const char *what) {
  if (!p->failed) diag_error(p->diag, expr_place(p->expr, at, width), "%s", what);
  p->failed = true;
  return NULL;
}

/* A new node that begins at `begin` and ends where the parser stands; its kids are part of it. */
static ExprNode *node_new(Parser *p, ExprKind kind, int begin) {
  if (++p->nodes > EXPR_MAX_NODES) {
    fail(p, 0, 1, "the expression is too long");
    return NULL;
  }
  ExprNode *n = ARENA_NEW(p->arena, ExprNode);
  n->kind = kind;
  n->begin = n->at = begin;
  for (n->end = p->at; n->end > begin && is_space(p->text[n->end - 1]);) n->end--;
  return n;
}

static const ExprNode *constant(Parser *p, int begin, int64_t value) {
  ExprNode *n = node_new(p, NODE_CONST, begin);
  if (!n) return NULL;
  int64_t *lanes = ARENA_ARRAY(p->arena, int64_t, WARP);
  for (int i = 0; i < WARP; i++) lanes[i] = value;
  n->constant = lanes;
  return n;
}

/* The value of a digit in base 10 or 16, or -1. */
static int digit(char c, int base) {
  if (is_digit(c)) return c - '0';
  if (base == 16 && c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (base == 16 && c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

static const ExprNode *parse_number(Parser *p) {
  const int begin = p->at;
  const char *s = p->text + begin;
  const int base = s[0] == '0' && (s[1] == 'x' || s[1] == 'X') ? 16 : 10;
  const int first = begin + (base == 16 ? 2 : 0);
  int64_t v = 0;
  bool fits = true;
  for (p->at = first; digit(p->text[p->at], base) >= 0; p->at++)
    fits = fits && !__builtin_mul_overflow(v, base, &v) &&
           !__builtin_add_overflow(v, digit(p->text[p->at], base), &v);
  const int digits = p->at - first;
  while (is_letter(p->text[p->at]) || is_digit(p->text[p->at]) || p->text[p->at] == '.') p->at++;
  const int width = p->at - begin;
  if (p->at - first != digits || digits == 0) return fail(p, begin, width, "not an integer");
  if (base == 10 && s[0] == '0' && digits > 1)
    return fail(p, begin, width, "a number with a leading 0: write decimal or 0x");
  if (!fits) return fail(p, begin, width, "a number beyond 64 bits");
  return constant(p, begin, v);
}

static void unknown_name(Parser *p, int begin, const char *name) {
  p->wrong = true;
  diag_error(p->diag, expr_place(p->expr, begin, p->at - begin), "unknown name '%s'", name);
  const char *near = diag_nearest(name, p->names->name, p->names->count);
  if (near) diag_hint(p->diag, "did you mean '%s'?", near);
}

static const ExprNode *parse_name(Parser *p) {
  const int begin = p->at;
  while (is_letter(p->text[p->at]) || is_digit(p->text[p->at])) p->at++;
  const char *name = arena_strndup(p->arena, p->text + begin, (size_t)(p->at - begin));
  const int slot = names_find(p->names, name);
  if (slot < 0) unknown_name(p, begin, name);
  ExprNode *n = node_new(p, NODE_VAR, begin);
  if (!n) return NULL;
  n->slot = slot;
  n->name = name;
  return n;
}

static const ExprNode *parse_group(Parser *p) {
  const int begin = p->at++;
  const ExprNode *n = parse_cond(p);
  if (!n) return NULL;
  skip_space(p);
  if (p->text[p->at] != ')') return fail(p, begin, 1, "'(' without ')'");
  p->at++;
  ExprNode *whole = ARENA_NEW(p->arena, ExprNode); /* with its parentheses, for messages */
  *whole = *n;
  whole->begin = begin;
  whole->end = p->at;
  return whole;
}

static const ExprNode *parse_unexpected(Parser *p) {
  const char *s = p->text + p->at;
  if (!*s) return fail(p, p->at ? p->at - 1 : 0, 1, "the expression ends too early");
  int bytes;
  utf8_decode(s, s + strlen(s), &bytes);
  return fail(p, p->at, 1, arena_printf(p->arena, "unexpected '%.*s'", bytes, s));
}

static const ExprNode *parse_primary(Parser *p) {
  const char c = p->text[p->at];
  if (is_digit(c)) return parse_number(p);
  if (is_letter(c)) return parse_name(p);
  if (c == '(') return parse_group(p);
  return parse_unexpected(p);
}

static const Operator *operator_here(const Parser *p, const Operator *table, int count) {
  for (int i = 0; i < count; i++)
    if (strncmp(p->text + p->at, table[i].spelling, strlen(table[i].spelling)) == 0)
      return &table[i];
  return NULL;
}

/* C reads two signs that touch as one operator, which would change a value. */
static bool is_step(const Parser *p) {
  const char c = p->text[p->at];
  return (c == '+' || c == '-') && p->text[p->at + 1] == c;
}

static const ExprNode *refuse_step(Parser *p) {
  const char c = p->text[p->at];
  const char *what = arena_printf(p->arena, "'%c%c' in an expression: write '%c %c'", c, c, c, c);
  return fail(p, p->at, 2, what);
}

static const ExprNode *parse_unary(Parser *p) {
  skip_space(p);
  const Operator *op = operator_here(p, expr_unary_table, expr_unary_count);
  if (!op) return parse_primary(p);
  if (is_step(p)) return refuse_step(p);
  if (++p->depth > EXPR_MAX_DEPTH) return fail(p, p->at, 1, "the expression is nested too deeply");
  const int begin = p->at++;
  const ExprNode *a = parse_unary(p);
  p->depth--;
  ExprNode *n = a ? node_new(p, NODE_UNARY, begin) : NULL;
  if (!n) return NULL;
  n->run = op->run;
  n->a = a;
  return n;
}

static const ExprNode *join(Parser *p, const Operator *op, int at, const ExprNode *a,
                            const ExprNode *b) {
  ExprNode *n = a && b ? node_new(p, op->kind, a->begin) : NULL;
  if (!n) return NULL;
  n->at = at;
  n->run = op->run;
  n->a = a;
  n->b = b;
  return n;
}

/* Operators that bind at least as tightly as `level`; equal ones from left to right. */
static const ExprNode *parse_binary(Parser *p, int level) {
  const ExprNode *left = parse_unary(p);
  while (left) {
    skip_space(p);
    const Operator *op = operator_here(p, expr_binary_table, expr_binary_count);
    if (!op || op->level < level) break;
    if (is_step(p)) return refuse_step(p);
    const int at = p->at;
    p->at += (int)strlen(op->spelling);
    left = join(p, op, at, left, parse_binary(p, op->level + 1));
  }
  return left;
}

static const ExprNode *parse_branches(Parser *p, const ExprNode *test) {
  const int at = p->at++;
  const ExprNode *yes = parse_cond(p);
  if (!yes) return NULL;
  skip_space(p);
  if (p->text[p->at] != ':') return fail(p, at, 1, "'?' without ':'");
  p->at++;
  const ExprNode *no = parse_cond(p);
  ExprNode *n = no ? node_new(p, NODE_COND, test->begin) : NULL;
  if (!n) return NULL;
  n->at = at;
  n->a = test;
  n->b = yes;
  n->c = no;
  return n;
}

static const ExprNode *parse_cond(Parser *p) {
  if (++p->depth > EXPR_MAX_DEPTH) return fail(p, p->at, 1, "the expression is nested too deeply");
  const ExprNode *test = parse_binary(p, 1);
  if (test) {
    skip_space(p);
    if (p->text[p->at] == '?') test = parse_branches(p, test);
  }
  p->depth--;
  return test;
}

/* What stands behind a whole expression. */
static void parse_end(Parser *p) {
  skip_space(p);
  const char c = p->text[p->at];
  if (c == '(')
    fail(p, p->at, 1, "expressions have no functions");
  else if (c == '=')
    fail(p, p->at, 1, "'=' in an expression: comparison is '=='");
  else if (c)
    parse_unexpected(p);
}

const Expr *expr_parse(Arena *a, Diag *d, Loc loc, const char *text, const Names *names) {
  const size_t length = strlen(text);
  Expr *e = ARENA_NEW(a, Expr);
  *e = (Expr){NULL, text, loc, false};
  if (length > EXPR_MAX_TEXT) {
    diag_error(d, loc, "an expression of more than %d bytes", EXPR_MAX_TEXT);
    return NULL;
  }
  e->in_place = utf8_count(text, text + length) == loc.width;
  Parser p = {.arena = a, .diag = d, .expr = e, .names = names, .text = text};
  e->root = parse_cond(&p);
  if (e->root) parse_end(&p);
  return p.failed || p.wrong ? NULL : e;
}

Loc expr_place(const Expr *e, int offset, int width) {
  Loc loc = e->loc;
  if (!e->in_place) return loc;
  loc.col += utf8_count(e->text, e->text + offset);
  loc.width = width;
  return loc;
}
