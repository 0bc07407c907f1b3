/* solve.h: stage 4. The cheapest layout of the family for all accesses of a tile at once, and the
 * proof. */
#ifndef KGEN_SOLVE_H
#define KGEN_SOLVE_H

#include "model/cost.h"
#include "solve/certificate.h"

/* What all tiles of a spec may spend together, in steps of about a nanosecond (budget.h). */
enum { SOLVE_EFFORT = 800 * 1000 * 1000 };

typedef struct {
  KgenLayout layout;
  bool conflict_free;           /* every instruction costs its ideal */
  bool minimal;                 /* nothing of the family is cheaper: proven; of a given pad false */
  const AccessCost *cost;       /* one an access */
  const AccessCost *unswizzled; /* the same under the plain layout; NULL where that misaligns or
                                   tears what a lane accesses */
  int64_t effort;               /* spent */
  Certificate certificate;
} Solution;

/* Solves for the tile's request, or costs the pad that it gives, with set->effort. NULL if no
 * layout of the requested kind is admissible, which is then in d. */
const Solution *solve_tile(Arena *a, Diag *d, const AccessSet *set);

#endif
