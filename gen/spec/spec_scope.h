/* spec_scope.h: names and their values. A value may depend on others, in any order without a cycle:
 * each is evaluated when it is first asked for. */
#ifndef KGEN_SPEC_SPEC_SCOPE_H
#define KGEN_SPEC_SPEC_SCOPE_H

#include "spec/spec_value.h"

/* How a value is computed, and what it may be. */
typedef struct {
  const char *what; /* for messages: "param 'vector'" */
  Loc loc;
  const Yaml *node; /* its expression, or */
  const char *text; /* one of our own; if both are NULL the value is unknown */
  int64_t esize;    /* what `esize` means in it; 0: unknown */
  int64_t min, max;
  const Yaml *values; /* the only ones allowed, or NULL */
  bool named;         /* a let: what it reads, its readers read */
} Definition;

typedef enum { STATE_UNKNOWN, STATE_DEFINED, STATE_ASKED, STATE_KNOWN } ValueState;

typedef struct {
  const Reader *in;
  Names names;
  int esize_slot;
  ValueState state[EXPR_MAX_VARS];
  int64_t value[EXPR_MAX_VARS]; /* if known, else 0 */
  Definition definition[EXPR_MAX_VARS];
  const Expr *expr[EXPR_MAX_VARS]; /* of a definition, once asked for */
  int asked[EXPR_MAX_VARS], depth; /* the slots that are being evaluated, each for the one before */
} Scope;

/* The slot of a new name, whose value is unknown. */
int scope_declare(Scope *s, const char *name);
void scope_set(Scope *s, int slot, int64_t value);
/* Only once all names are declared may values be asked for. */
void scope_define(Scope *s, int slot, Definition d);
/* False if the value has or depends on an error, which was reported. */
bool scope_knows(Scope *s, int slot);
/* False if the expression reads an unknown value, or with an error if it cannot be evaluated. */
bool scope_eval(Scope *s, const Expr *e, int64_t *out);
/* The value of an expression, checked against a range. */
bool scope_read(Scope *s, const Yaml *node, const char *what, int64_t min, int64_t max,
                int64_t *out);
/* Evaluates what nobody has asked for, to report its errors. */
void scope_finish(Scope *s);
/* The expression reads that slot, by itself or through a let. */
bool scope_reads(const Scope *s, const Expr *e, int slot);

#endif
