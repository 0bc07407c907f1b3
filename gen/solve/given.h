/* SPDX-License-Identifier: MIT */
/* given.h: a layout that the spec gives: what it costs, and what would be better. */
#ifndef KGEN_SOLVE_GIVEN_H
#define KGEN_SOLVE_GIVEN_H

#include "solve/solution.h"

/* Costs set->tile->want.given, beside the best of the family `auto` (NULL if that holds none, or it
 * stands alone). NULL if the layout breaks a rule, which is then in d. */
const Solution *given_judge(Arena *a, Diag *d, const AccessSet *set, const Solution *best);

#endif
