/* stamp.h: a header's template, whose values stand in the text itself and not in declarations. */
#ifndef KGEN_EMIT_STAMP_H
#define KGEN_EMIT_STAMP_H

#include "base/diag.h"
#include "emit/plan.h"

typedef struct {
  const char *prefix;     /* what NAME_ at the start of an identifier becomes */
  size_t columns;         /* lines that get longer are broken */
  const PlanValue *value; /* by name */
  int values;
  const PlanValue *each; /* each[line * each_values + i]: the i-th of a repeated line; one line at
                            the least, which tells the names */
  int each_values, lines;
} Stamp;

/* Appends the template `file`. The lines up to its kgen:end, which #define a name
 * for each value and let the template compile, are left out. After them every such name is replaced
 * by its value, and the line between kgen:each and kgen:end by s->lines lines of its kind. A define
 * without a value and a value without a define are errors at their place. False on error. */
bool stamp_fill(Text *out, Diag *d, Templates *templates, const char *file, const Stamp *s);

#endif
