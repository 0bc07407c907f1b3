/* SPDX-License-Identifier: MIT */
/* solve.h: the cheapest layout of the family for all accesses of a tile at once, and the proof. */
#ifndef KGEN_SOLVE_SOLVE_H
#define KGEN_SOLVE_SOLVE_H

#include "base/budget.h"
#include "solve/solution.h"

/* Solves for the tile's request, or costs the layout that it gives, with set->effort. NULL if no
 * layout of the requested kind is admissible, or the given one is not, which is then in d. */
const Solution *solve_tile(Arena *a, Diag *d, const AccessSet *set);

#endif
