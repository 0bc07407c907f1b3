/* SPDX-License-Identifier: MIT */
/* explain.h: kgen --explain: the banks before and after, the colliding lanes, the layout as C, why
 * no cheaper layout works, and how to remove the conflicts. */
#ifndef KGEN_EMIT_EXPLAIN_H
#define KGEN_EMIT_EXPLAIN_H

#include "emit/language.h"

/* language: how the layout is written, a Language; -1: as C, and as CuTe and TMA if they have it.
 * color: with terminal escapes. */
void explain_plan(Text *out, Arena *a, const Plan *plan, int language, bool color);

#endif
