/* explain.h: kgen --explain. The banks before and after, the lanes that met, the layout as C, why
 * nothing cheaper works, and how to remove the conflicts. */
#ifndef KGEN_EMIT_EXPLAIN_H
#define KGEN_EMIT_EXPLAIN_H

#include "emit/plan.h"

/* color: with escapes for a terminal. */
void explain_plan(Text *out, Arena *a, const Plan *plan, bool color);

#endif
