/* SPDX-License-Identifier: MIT */
/* expr.h: integer expressions of specs: C operators, precedence and short circuits over named
 * 64-bit values. */
#ifndef KGEN_SPEC_EXPR_H
#define KGEN_SPEC_EXPR_H

#include "spec/expr_op.h"

enum { EXPR_MAX_VARS = 160, EXPR_MAX_LETS = 32 };
/* Limits, so that parsing and evaluation need a bounded stack. A deferred let counts with its full
 * text at each use. */
enum { EXPR_MAX_TEXT = 4096, EXPR_MAX_DEPTH = 64, EXPR_MAX_NODES = 512 };

/* --- what expressions can name --- */

/* A named expression that is evaluated at each use, with the names visible there. */
typedef struct {
  const char *name, *text;
  Loc loc; /* location of the text */
} Let;

typedef struct {
  int count;
  Let let[EXPR_MAX_LETS];
} Lets;

/* The names that an expression may use. The index of a name is its slot in the values for
 * evaluation. */
typedef struct {
  int count;
  const char *name[EXPR_MAX_VARS];
  const Lets *lets; /* or NULL; a name in the list above hides an equal let */
} Names;

extern const Names no_names;
int names_add(Names *n, const char *name); /* its slot; -1 when full */
int names_find(const Names *n, const char *name);
const Let *names_let(const Names *n, const char *name); /* NULL if there is none */

/* --- the parsed form --- */

typedef struct Expr Expr;
typedef struct ExprNode ExprNode;
struct ExprNode {
  ExprKind kind;
  int begin, end;          /* range in the text */
  int at;                  /* position of its operator */
  int slot;                /* NODE_VAR */
  const char *name;        /* NODE_VAR, NODE_LET */
  const int64_t *constant; /* NODE_CONST: the value, 32 times */
  const Expr *let;         /* NODE_LET: its expression, whose root is `a` */
  const Operator *op;      /* NODE_UNARY (b is NULL), NODE_BINARY, NODE_AND, NODE_OR */
  const ExprNode *a, *b, *c;
};

struct Expr {
  const ExprNode *root;
  const char *text;
  Loc loc;       /* location of the text */
  int nodes;     /* a let is counted at each use */
  bool in_place; /* the source at loc is identical to this text */
};

/* True if the expression reads that slot. */
bool expr_uses(const Expr *e, int slot);
/* The location of a byte of the text. */
Loc expr_location(const Expr *e, int offset, int width);

#endif
