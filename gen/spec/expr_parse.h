/* expr_parse.h: an expression's text parsed. */
#ifndef KGEN_SPEC_EXPR_PARSE_H
#define KGEN_SPEC_EXPR_PARSE_H

#include "spec/expr.h"

/* Parses `text`, which stands at `loc`; errors (with a hint for a near-miss name) go to d, at their
 * own column if loc.width is the length of the text, else at loc. NULL on error. Numbers are
 * decimal or 0x, without a leading 0. Unlike in C, shifting a negative number left multiplies it. A
 * let is parsed with the names of its user; what it reads that is not among them is the user's
 * error. */
const Expr *expr_parse(Arena *a, Diag *d, Loc loc, const char *text, const Names *names);

/* The identifiers of a text, whatever else stands there: calls `each` for every one in turn. */
void expr_words(Arena *a, const char *text, void (*each)(void *to, const char *word), void *to);

#endif
