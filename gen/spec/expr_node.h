/* expr_node.h: the parsed form of an expression, between expr_parse.c and expr.c. */
#ifndef KGEN_EXPR_NODE_H
#define KGEN_EXPR_NODE_H

#include "spec/expr.h"

typedef enum {
  NODE_CONST,
  NODE_VAR,
  NODE_UNARY,
  NODE_BINARY,
  NODE_AND,
  NODE_OR,
  NODE_COND
} ExprKind;

/* Why lanes fail; NULL-terminated texts are in expr.c. The bits are the lanes that do. */
typedef struct {
  uint32_t overflow, zero, shift;
} Faults;

/* Computes 32 lanes and says which of them have no result; those get 0. */
typedef Faults (*LaneOp)(const int64_t *a, const int64_t *b, int64_t *out);

typedef struct ExprNode ExprNode;
struct ExprNode {
  ExprKind kind;
  int begin, end;          /* its part of the text */
  int at;                  /* where its operator stands */
  int slot;                /* NODE_VAR */
  const char *name;        /* NODE_VAR */
  const int64_t *constant; /* NODE_CONST: the value, 32 times */
  LaneOp run;              /* NODE_UNARY (b is NULL), NODE_BINARY */
  const ExprNode *a, *b, *c;
};

struct Expr {
  const ExprNode *root;
  const char *text;
  Loc loc;
  bool in_place; /* the text stands at loc letter for letter */
};

/* An operator's row: its spelling, how tightly it binds (higher first), and what it does. */
typedef struct {
  const char *spelling;
  int level;
  ExprKind kind;
  LaneOp run;
} Operator;

extern const Operator expr_binary_table[], expr_unary_table[];
extern const int expr_binary_count, expr_unary_count;

/* The place of a byte of the text. */
Loc expr_place(const Expr *e, int offset, int width);

#endif
