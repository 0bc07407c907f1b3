/* explain.h: kgen --explain: the banks before and after, the colliding lanes, the layout as C, why
 * no cheaper layout works, and how to remove the conflicts. */
#ifndef KGEN_EMIT_EXPLAIN_H
#define KGEN_EMIT_EXPLAIN_H

#include "emit/plan.h"

/* color: with terminal escapes. */
void explain_plan(Text *out, Arena *a, const Plan *plan, bool color);

#endif
