/* layout_search.h: the cheapest layout of the family that a tile's request names, over all its
 * strides and maps. */
#ifndef KGEN_SOLVE_LAYOUT_SEARCH_H
#define KGEN_SOLVE_LAYOUT_SEARCH_H

#include "solve/solution.h"

/* effort: what it may spend, in steps (budget.h). NULL if no layout of the family is admissible,
 * which is then in d. */
const Solution *layout_search(Arena *a, Diag *d, const AccessSet *set, int64_t effort);

#endif
