/* SPDX-License-Identifier: MIT */
#include "spec/expr_spell.h"

#include <inttypes.h>
#include <string.h>

/* Precedences, as in the operator table. */
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

/* A product in a sum, a sum in a comparison, and a chain of comparisons need no parentheses. */
static bool binds_clearly(int parent, int operand) {
  return (parent == SUM && operand == PRODUCT) ||
         ((parent == EQUALITY || parent == RELATION) && operand >= SUM) ||
         (parent <= AND && (operand == EQUALITY || operand == RELATION));
}

/* True for a - b + c, a & b & c; not for a << b << c or a < b < c. */
static bool goes_on(const ExprNode *parent, const ExprNode *operand) {
  const int level = parent->op->level;
  if (level != operand->op->level) return false;
  return level >= SUM || (level <= BIT_AND && parent->op == operand->op);
}

static bool needs_parentheses(const ExprNode *parent, const ExprNode *operand, bool left) {
  if (operand->kind == NODE_COND) return true;
  if (!operand->op) return false;
  if (!parent->b) return true;
  if (!operand->b) return is(operand, "!");
  return !binds_clearly(parent->op->level, operand->op->level) &&
         !(left && goes_on(parent, operand));
}

static bool is_truth(const ExprNode *n) {
  return n->op &&
         (is(n, "!") || n->op->level <= AND || n->op->level == EQUALITY ||
          n->op->level == RELATION) &&
         (n->b || is(n, "!"));
}

/* Compilers warn about a product, a shift, a conditional or a number used as a truth value. */
static bool is_odd_truth(const Speller *s, const ExprNode *n) {
  const char *word = n->kind == NODE_VAR ? s->word[n->slot] : "";
  return n->kind == NODE_COND || n->kind == NODE_CONST || *word == '(' ||
         (*word >= '0' && *word <= '9') || (n->b && (is(n, "*") || is(n, "<<")));
}

static void spell_truth(const Speller *s, const ExprNode *parent, const ExprNode *n, bool left) {
  const ExprNode *operand = meant(n);
  const bool odd = is_odd_truth(s, operand);
  if (!odd) {
    spell_within(s, operand,
                 parent->op ? needs_parentheses(parent, operand, left)
                            : operand->kind == NODE_COND);
    return;
  }
  text_puts(s->out, "(");
  spell_within(s, operand, operand->op || operand->kind == NODE_COND);
  text_puts(s->out, " != 0)");
}

/* --- nodes --- */

/* ~ of a truth value applies to its number. */
static void spell_unary(const Speller *s, const ExprNode *n) {
  const ExprNode *operand = meant(n->a);
  text_puts(s->out, n->op->spelling);
  if (is(n, "!")) {
    spell_truth(s, n, operand, true);
  } else if (is(n, "~") && is_truth(operand)) {
    text_puts(s->out, "(");
    spell_within(s, operand, true);
    text_puts(s->out, " ? 1 : 0)");
  } else {
    spell_within(s, operand, needs_parentheses(n, operand, true));
  }
}

static void spell_binary(const Speller *s, const ExprNode *n) {
  const bool truths = n->kind == NODE_AND || n->kind == NODE_OR;
  for (int side = 0; side < 2; side++) {
    const ExprNode *operand = meant(side ? n->b : n->a);
    if (side) text_printf(s->out, " %s ", n->op->spelling);
    if (truths)
      spell_truth(s, n, operand, !side);
    else
      spell_within(s, operand, needs_parentheses(n, operand, !side));
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
