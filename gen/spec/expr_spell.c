#include "spec/expr_spell.h"

#include <inttypes.h>
#include <string.h>

/* How tightly operators bind, as in their table. */
enum { OR = 1, AND, BIT_OR, BIT_XOR, BIT_AND, EQUALITY, RELATION, SHIFT, SUM, PRODUCT };

typedef struct {
  Text *out;
  const char *const *word;
} Speller;

static void spell(const Speller *s, const ExprNode *n);

static const ExprNode *meant(const ExprNode *n) {
  while (n->kind == NODE_LET) n = n->a;
  return n;
}

static bool is(const ExprNode *n, const char *spelling) {
  return n->op && strcmp(n->op->spelling, spelling) == 0;
}

static void spell_within(const Speller *s, const ExprNode *n, bool parentheses) {
  if (parentheses) text_puts(s->out, "(");
  spell(s, n);
  if (parentheses) text_puts(s->out, ")");
}

/* --- operands --- */

/* A sum of products, a comparison of sums, and a chain of comparisons need none. */
static bool binds_clearly(int parent, int kid) {
  return (parent == SUM && kid == PRODUCT) ||
         ((parent == EQUALITY || parent == RELATION) && kid >= SUM) ||
         (parent <= AND && (kid == EQUALITY || kid == RELATION));
}

/* a - b + c, a & b & c; not a << b << c or a < b < c. */
static bool goes_on(const ExprNode *parent, const ExprNode *kid) {
  const int level = parent->op->level;
  if (level != kid->op->level) return false;
  return level >= SUM || (level <= BIT_AND && parent->op == kid->op);
}

static bool needs_parentheses(const ExprNode *parent, const ExprNode *kid, bool left) {
  if (kid->kind == NODE_COND) return true;
  if (!kid->op) return false;
  if (!parent->b) return true;
  if (!kid->b) return is(kid, "!");
  return !binds_clearly(parent->op->level, kid->op->level) && !(left && goes_on(parent, kid));
}

static bool is_truth(const ExprNode *n) {
  return n->op &&
         (is(n, "!") || n->op->level <= AND || n->op->level == EQUALITY ||
          n->op->level == RELATION) &&
         (n->b || is(n, "!"));
}

/* Compilers warn of a product, a shift, a choice or a number that is used as a truth. */
static bool is_odd_truth(const Speller *s, const ExprNode *n) {
  const char *word = n->kind == NODE_VAR ? s->word[n->slot] : "";
  return n->kind == NODE_COND || n->kind == NODE_CONST || *word == '(' ||
         (*word >= '0' && *word <= '9') || (n->b && (is(n, "*") || is(n, "<<")));
}

static void spell_truth(const Speller *s, const ExprNode *parent, const ExprNode *n, bool left) {
  const ExprNode *kid = meant(n);
  const bool odd = is_odd_truth(s, kid);
  if (!odd) {
    spell_within(s, kid,
                 parent->op ? needs_parentheses(parent, kid, left) : kid->kind == NODE_COND);
    return;
  }
  text_puts(s->out, "(");
  spell_within(s, kid, kid->op || kid->kind == NODE_COND);
  text_puts(s->out, " != 0)");
}

/* --- nodes --- */

/* ~ of a truth is of the number that it is. */
static void spell_unary(const Speller *s, const ExprNode *n) {
  const ExprNode *kid = meant(n->a);
  text_puts(s->out, n->op->spelling);
  if (is(n, "!")) {
    spell_truth(s, n, kid, true);
  } else if (is(n, "~") && is_truth(kid)) {
    text_puts(s->out, "(");
    spell_within(s, kid, true);
    text_puts(s->out, " ? 1 : 0)");
  } else {
    spell_within(s, kid, needs_parentheses(n, kid, true));
  }
}

static void spell_binary(const Speller *s, const ExprNode *n) {
  const bool truths = n->kind == NODE_AND || n->kind == NODE_OR;
  for (int side = 0; side < 2; side++) {
    const ExprNode *kid = meant(side ? n->b : n->a);
    if (side) text_printf(s->out, " %s ", n->op->spelling);
    if (truths)
      spell_truth(s, n, kid, !side);
    else
      spell_within(s, kid, needs_parentheses(n, kid, !side));
  }
}

static void spell_choice(const Speller *s, const ExprNode *n) {
  spell_truth(s, n, n->a, true);
  text_puts(s->out, " ? ");
  spell_within(s, n->b, meant(n->b)->kind == NODE_COND);
  text_puts(s->out, " : ");
  spell_within(s, n->c, meant(n->c)->kind == NODE_COND);
}

static void spell(const Speller *s, const ExprNode *n) {
  n = meant(n);
  switch (n->kind) {
  case NODE_CONST: text_printf(s->out, "%" PRId64, n->constant[0]); break;
  case NODE_VAR: text_puts(s->out, s->word[n->slot]); break;
  case NODE_UNARY: spell_unary(s, n); break;
  case NODE_COND: spell_choice(s, n); break;
  default: spell_binary(s, n);
  }
}

void expr_spell(Text *out, const Expr *e, const char *const *word) {
  const Speller s = {out, word};
  spell(&s, e->root);
}
