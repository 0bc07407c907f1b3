/* SPDX-License-Identifier: MIT */
/* stamp.h: fills a header's template, whose values are in the text itself and not in
 * declarations. */
#ifndef KGEN_EMIT_STAMP_H
#define KGEN_EMIT_STAMP_H

#include "base/diag.h"
#include "emit/plan.h"

typedef struct {
  const char *prefix;     /* replacement of NAME_ at the start of an identifier */
  size_t columns;         /* longer lines are broken */
  const PlanValue *value; /* found by name */
  int values;
  /* each[line * each_values + i]: value i of a repeated line; at least one line, which gives the
   * names */
  const PlanValue *each;
  int each_values, lines;
} Stamp;

/* Appends the template `file`. The lines up to its kgen:end, which #define a name
 * for each value and let the template compile, are left out. After them every such name is replaced
 * by its value, and the line between kgen:each and kgen:end by s->lines lines of its kind. A define
 * without a value and a value without a define are errors at their place. False on error. */
bool stamp_fill(Text *out, Diag *d, Templates *templates, const char *file, const Stamp *s);

#endif
