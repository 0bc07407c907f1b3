/* SPDX-License-Identifier: MIT */
/* expr_parse.h: parses expressions. */
#ifndef KGEN_SPEC_EXPR_PARSE_H
#define KGEN_SPEC_EXPR_PARSE_H

#include "spec/expr.h"

/* Parses `text`, which is at `loc`. Errors (with a hint for a misspelled name) go to d, at their
 * own column if loc.width is the length of the text, else at loc. NULL on error. Numbers are
 * decimal or 0x, without a leading 0. Unlike in C, shifting a negative number left multiplies it. A
 * let is parsed with the names visible to its user; reading any other name is the user's error. */
const Expr *expr_parse(Arena *a, Diag *d, Loc loc, const char *text, const Names *names);

/* Calls `each` for every identifier of a text, in order, whatever else the text contains. */
void expr_words(Arena *a, const char *text, void (*each)(void *to, const char *word), void *to);

#endif
