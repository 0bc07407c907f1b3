#include "solve/solve.h"

#include "model/modes.h"
#include "solve/given.h"
#include "solve/layout_search.h"
#include "solve/modes_solve.h"

/* What the family `auto` holds beside a given layout. */
static const Solution *solve_beside(Arena *a, const AccessSet *set) {
  AccessSet *alone = ARENA_NEW(a, AccessSet);
  Tile *tile = ARENA_NEW(a, Tile);
  *alone = *set;
  *tile = *set->tile;
  tile->want.given = NULL;
  tile->want.kind = WANT_AUTO;
  alone->tile = tile;
  return solve_tile(a, diag_new(a), alone);
}

const Solution *solve_tile(Arena *a, Diag *d, const AccessSet *set) {
  const LayoutRequest *want = &set->tile->want;
  if (want->given) return given_judge(a, d, set, want->alone ? NULL : solve_beside(a, set));
  if (want->kind == WANT_TMA || mode_needed(set)) return modes_solve(a, d, set);
  return layout_search(a, d, set, set->effort ? set->effort : SOLVE_EFFORT);
}
