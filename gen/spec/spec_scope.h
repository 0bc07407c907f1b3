/* SPDX-License-Identifier: MIT */
/* spec_scope.h: names and their values. Values may depend on others in any order, without a cycle;
 * each is evaluated when first needed. */
#ifndef KGEN_SPEC_SPEC_SCOPE_H
#define KGEN_SPEC_SPEC_SCOPE_H

#include "spec/spec_value.h"

/* How a value is computed, and its allowed values. */
typedef struct {
  const char *what; /* for messages: "param 'vector'" */
  Loc loc;
  const Yaml *node; /* its expression, or */
  const char *text; /* an expression of kgen's own; if both are NULL the value is unknown */
  int64_t esize;    /* value of `esize` in it; 0: unknown */
  int64_t min, max;
  const Yaml *values; /* the only ones allowed, or NULL */
  bool named;         /* a let: what it reads counts as read by its users */
} Definition;

typedef enum { STATE_UNKNOWN, STATE_DEFINED, STATE_ASKED, STATE_KNOWN } ValueState;

typedef struct {
  const Reader *in;
  Names names;
  int esize_slot;
  ValueState state[EXPR_MAX_VARS];
  int64_t value[EXPR_MAX_VARS]; /* the value if known, else 0 */
  Definition definition[EXPR_MAX_VARS];
  const Expr *expr[EXPR_MAX_VARS]; /* parsed expression of a definition, once needed */
  int asked[EXPR_MAX_VARS], depth; /* stack of the slots being evaluated */
} Scope;

/* The slot of a new name, whose value is unknown. */
int scope_declare(Scope *s, const char *name);
void scope_set(Scope *s, int slot, int64_t value);
/* Values may only be read once all names are declared. */
void scope_define(Scope *s, int slot, Definition d);
/* False if the value is, or depends on, an error, which was reported. */
bool scope_knows(Scope *s, int slot);
/* False if the expression reads an unknown value, or, with an error, if it cannot be evaluated. */
bool scope_eval(Scope *s, const Expr *e, int64_t *out);
/* The value of an expression, checked against a range. */
bool scope_read(Scope *s, const Yaml *node, const char *what, int64_t min, int64_t max,
                int64_t *out);
/* Evaluates the values that nothing has read, to report their errors. */
void scope_finish(Scope *s);
/* True if the expression reads that slot, directly or through a let. */
bool scope_reads(const Scope *s, const Expr *e, int slot);

#endif
