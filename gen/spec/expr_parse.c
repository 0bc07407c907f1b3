/* SPDX-License-Identifier: MIT */
#include "spec/expr_parse.h"

#include <string.h>

#include "base/utf8.h"

typedef struct Parser Parser;
struct Parser {
  Arena *arena;
  Diag *diag;
  Expr *expr;
  const Names *names;
  const char *text;
  int at; /* the next byte */
  int depth, nodes;
  bool failed;        /* a syntax error was reported: report no more */
  bool wrong;         /* an unknown name was reported; parsing continues */
  const Let *let;     /* the let whose text this is, or NULL */
  const Parser *user; /* the parser of the text that uses that let, and the position of the use */
  int use_begin, use_end;
};

static const ExprNode *parse_cond(Parser *p);
static void parse_whole(Parser *p);

static Expr *expr_new(Arena *a, Loc loc, const char *text) {
  Expr *e = ARENA_NEW(a, Expr);
  *e = (Expr){
      .text = text, .loc = loc, .in_place = utf8_count(text, text + strlen(text)) == loc.width};
  return e;
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static void skip_space(Parser *p) {
  while (is_space(p->text[p->at])) p->at++;
}

/* Reports a syntax error, unless one was reported before. Always NULL. */
static const ExprNode *fail(Parser *p, int at, int width, const char *what) {
  if (!p->failed) diag_error(p->diag, expr_location(p->expr, at, width), "%s", what);
  p->failed = true;
  return NULL;
}

/* Reports a text that is too long with its lets expanded, at the outermost use. */
static ExprNode *too_long(Parser *p) {
  const Parser *user = p;
  while (user->user) user = user->user;
  if (!p->failed)
    diag_error(p->diag, expr_location(user->expr, 0, 1), "the expression is too long");
  p->failed = true;
  return NULL;
}

/* A new node from `begin` to the current position, which includes its operands. */
static ExprNode *node_new(Parser *p, ExprKind kind, int begin) {
  if (++p->nodes > EXPR_MAX_NODES) return too_long(p);
  ExprNode *n = ARENA_NEW(p->arena, ExprNode);
  n->kind = kind;
  n->begin = n->at = begin;
  for (n->end = p->at; n->end > begin && is_space(p->text[n->end - 1]);) n->end--;
  return n;
}

/* The values that most specs have, so that not each of them takes a row of its own. */
#define FOUR(v) v, v, v, v
#define ROW(v)                                                                                     \
  { FOUR(v), FOUR(v), FOUR(v), FOUR(v), FOUR(v), FOUR(v), FOUR(v), FOUR(v) }
static const int64_t usual[][WARP] = {ROW(0),  ROW(1),  ROW(2),  ROW(3),  ROW(4),  ROW(5),
                                      ROW(6),  ROW(7),  ROW(8),  ROW(9),  ROW(10), ROW(11),
                                      ROW(12), ROW(13), ROW(14), ROW(15), ROW(16), ROW(32)};

static const int64_t *find_usual(int64_t value) {
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
    if (usual[i][0] == value) return usual[i];
  return NULL;
}

static const ExprNode *constant(Parser *p, int begin, int64_t value) {
  ExprNode *n = node_new(p, NODE_CONST, begin);
  if (!n) return NULL;
  n->constant = find_usual(value);
  if (n->constant) return n;
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

static void hint_name(Parser *p, const char *name) {
  const char *known[EXPR_MAX_VARS + EXPR_MAX_LETS];
  const Names *n = p->names;
  int count = 0;
  for (; count < n->count; count++) known[count] = n->name[count];
  for (int i = 0; n->lets && i < n->lets->count; i++) known[count++] = n->lets->let[i].name;
  const char *near = diag_nearest(name, known, count);
  if (near) diag_hint(p->diag, "did you mean '%s'?", near);
}

/* In the text of a let the error is at the use: the name exists in other scopes. */
static void unknown_name(Parser *p, int begin, const char *name) {
  p->wrong = true;
  if (!p->let) {
    diag_error(p->diag, expr_location(p->expr, begin, p->at - begin), "unknown name '%s'", name);
    hint_name(p, name);
    return;
  }
  const Parser *user = p;
  while (user->user) user = user->user;
  diag_error(p->diag, expr_location(user->expr, user->use_begin, user->use_end - user->use_begin),
             "let '%s' reads '%s', which there is not here", p->let->name, name);
}

/* Parses within the depth and length that remain to the user of the let. */
static const Expr *parse_let_text(Parser *p, const Let *let, int begin) {
  Parser inner = *p;
  p->use_begin = begin;
  p->use_end = p->at;
  inner.expr = expr_new(p->arena, let->loc, let->text);
  inner.text = let->text;
  inner.at = 0;
  inner.let = let;
  inner.user = p;
  parse_whole(&inner);
  p->nodes = inner.nodes;
  p->wrong = inner.wrong;
  p->failed = inner.failed;
  return inner.expr;
}

/* A let is equivalent to its text in parentheses. */
static const ExprNode *parse_let(Parser *p, const Let *let, int begin) {
  for (const Parser *user = p; user; user = user->user)
    if (user->let == let)
      return fail(p, begin, p->at - begin,
                  arena_printf(p->arena, "let '%s' depends on itself", let->name));
  const Expr *e = parse_let_text(p, let, begin);
  ExprNode *n = p->failed ? NULL : node_new(p, NODE_LET, begin);
  if (!n) return NULL;
  n->name = let->name;
  n->let = e;
  n->a = e->root;
  return n;
}

static const ExprNode *parse_name(Parser *p) {
  const int begin = p->at;
  while (is_letter(p->text[p->at]) || is_digit(p->text[p->at])) p->at++;
  const char *name = arena_strndup(p->arena, p->text + begin, (size_t)(p->at - begin));
  const int slot = names_find(p->names, name);
  const Let *let = slot < 0 ? names_let(p->names, name) : NULL;
  if (let) return parse_let(p, let, begin);
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
  ExprNode *whole = ARENA_NEW(p->arena, ExprNode); /* including its parentheses, for messages */
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

/* C reads two adjacent signs as one operator, which would change a value. */
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
  n->op = op;
  n->a = a;
  return n;
}

static const ExprNode *join(Parser *p, const Operator *op, int at, const ExprNode *a,
                            const ExprNode *b) {
  ExprNode *n = a && b ? node_new(p, op->kind, a->begin) : NULL;
  if (!n) return NULL;
  n->at = at;
  n->op = op;
  n->a = a;
  n->b = b;
  return n;
}

/* Parses operators that bind at least as tightly as `level`; equal ones associate to the left. */
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

/* Checks that nothing follows the expression. */
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

static void parse_whole(Parser *p) {
  p->expr->root = parse_cond(p);
  if (p->expr->root) parse_end(p);
}

const Expr *expr_parse(Arena *a, Diag *d, Loc loc, const char *text, const Names *names) {
  if (strlen(text) > EXPR_MAX_TEXT) {
    diag_error(d, loc, "an expression of more than %d bytes", EXPR_MAX_TEXT);
    return NULL;
  }
  Parser p = {.arena = a, .diag = d, .names = names, .text = text};
  p.expr = expr_new(a, loc, text);
  parse_whole(&p);
  p.expr->nodes = p.nodes;
  return p.failed || p.wrong ? NULL : p.expr;
}

void expr_words(Arena *a, const char *text, void (*each)(void *to, const char *word), void *to) {
  for (const char *s = text; *s;) {
    const char *begin = s;
    while (is_letter(*s) || is_digit(*s)) s++;
    if (s > begin && is_letter(*begin)) each(to, arena_strndup(a, begin, (size_t)(s - begin)));
    if (s == begin) s++;
  }
}
