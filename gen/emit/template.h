/* SPDX-License-Identifier: MIT */
/* template.h: fills values into a template's marked declarations, and copies everything else. */
#ifndef KGEN_EMIT_TEMPLATE_H
#define KGEN_EMIT_TEMPLATE_H

#include "base/diag.h"
#include "emit/plan.h"

/* Appends the template `file`, each of its quoted includes replaced by that file of
 * the directory, which may not include others, and each declaration between its marker lines
 *     #define NAME value      using NAME = value;      constexpr TYPE NAME = value;
 * given the value of that name. A name without a value, a value without a declaration, and any
 * other line between the markers is an error at its place in the template. False on error. */
bool template_fill(Text *out, Diag *d, Templates *templates, const char *file,
                   const PlanValue *value, int values);

/* The lines before and after its declarations. */
extern const char template_begin[], template_end[];
/* Reads a file of the templates. NULL, with an error at `from`, if it cannot be read. */
const Source *template_open(Diag *d, Templates *templates, const char *file, Loc from);

/* True if `word` is an identifier in the template or its includes, outside comments, strings and
 * the values of its declarations. False if the template cannot be read. */
bool template_uses(Templates *templates, const char *file, const char *word);

#endif
