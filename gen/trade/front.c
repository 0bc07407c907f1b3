/* SPDX-License-Identifier: MIT */
#include "trade/front.h"

#include <stdlib.h>
#include <string.h>

#include "solve/modes_solve.h"
#include "solve/solver.h"

/* Limit on points; more come only from dominated pads of tiles with very many pads. */
enum { MOST_POINTS = 1 << 14 };

typedef struct {
  Arena *arena; /* holds the points */
  const AccessSet *set;
  Solver solver;
  FrontPoint *point;
  int points, capacity;
  bool ones;      /* every access has weight 1 */
  int64_t lowest; /* the minimum total so far */
  Front out;
} Listing;

/* --- points --- */

static bool weights_are_one(const AccessSet *set) {
  for (int i = 0; i < set->accesses; i++)
    if (set->access[i].weight != WEIGHT_ONE) return false;
  return true;
}

static void add_point(Listing *f, const KgenLayout *l, int64_t total, int64_t wavefronts) {
  f->point = arena_grow(f->arena, f->point, f->points, &f->capacity, sizeof *f->point);
  f->point[f->points++] = (FrontPoint){.layout = *l,
                                       .layouts = 1,
                                       .bytes = layout_bytes(l, f->set->tile->dtype->bytes),
                                       .wavefronts = wavefronts,
                                       .total = total};
  if (total < f->lowest) f->lowest = total;
}

static int64_t total_of(Solver *s, const Strides *at, const KgenLayout *l) {
  return solver_count(s, at, l, INT64_MAX).price.total;
}

/* The wavefronts of a layout, each once. total: its weighted cost. at: its strides; NULL if it is
 * no XOR of rows. */
static int64_t wavefronts_of(Listing *f, const Strides *at, const KgenLayout *l, int64_t total) {
  int64_t sum = 0;
  if (f->ones) return total / WEIGHT_ONE;
  if (at) return solver_wavefronts(&f->solver, at, l);
  AccessCost *cost = ARENA_ARRAY(f->solver.lists, AccessCost, (size_t)f->set->accesses);
  cost_count(f->set, l, cost);
  for (int i = 0; i < f->set->accesses; i++) sum += cost[i].wavefronts;
  return sum;
}

/* Adds a layout with an XOR, or counts it at the point of these strides with an equal total. Terms
 * come in order of address cost, so the first layout of a point is the cheapest. first: index of
 * the first point with an XOR of these strides. */
static void add_xor(Listing *f, int first, const Strides *at, const KgenLayout *l, int64_t total) {
  for (int i = first; i < f->points; i++)
    if (f->point[i].total == total) {
      f->point[i].layouts++;
      return;
    }
  add_point(f, l, total, wavefronts_of(f, at, l, total));
}

/* --- one set of strides --- */

static void list_terms(Listing *f, const Strides *at) {
  Solver *s = &f->solver;
  const TermList list = maps_single_terms(s->lists, &at->space, &at->layout);
  const int first = f->points;
  KgenLayout l = at->layout;
  l.terms = 1;
  for (int i = 0; i < list.count; i++) {
    if (solver_is_spent(s)) return;
    l.term[0] = list.term[i].term;
    if (!maps_tears(&at->space, &l)) add_xor(f, first, at, &l, total_of(s, at, &l));
  }
}

/* Adds the best of a search over maps of any number of terms, if it has a layout. */
static void add_found(Listing *f, const Strides *at, const MapSearch *r, bool fits,
                      const KgenLayout *l) {
  if (!r->complete || (r->found && !fits)) f->out.exact = false;
  if (r->found && fits) add_point(f, l, r->map.total, wavefronts_of(f, at, l, r->map.total));
}

/* Adds the best map with any number of terms, unless smaller strides reach an equal total. */
static void list_best_map(Listing *f, const Strides *at) {
  Solver *s = &f->solver;
  KgenLayout l;
  if (f->lowest <= s->least) return;
  Budget part = budget_part(&s->stage, 1, 4);
  const MapSearch r = map_search_least(&at->space, s->least, f->lowest - 1, &part);
  add_found(f, at->rows->start ? NULL : at, &r, r.found && solver_layout(s, at, &r.map, &l), &l);
}

/* Adds the XORs of the index of an unpadded tile, except the row's own, and the best linear
 * layouts. */
static void list_index(Listing *f, bool rows_listed) {
  Solver *s = &f->solver;
  LinearSpace space;
  IndexTerm *term;
  const Group *violating_group;
  const int first = f->points;
  if (solver_linear(s, &space) != REACH_ALL) return;
  const int count = linear_terms(s->lists, &space, &term);
  for (int i = 0; i < count && !solver_is_spent(s); i++) {
    const Map m = linear_of_term(&space, term[i].shift, term[i].mask);
    KgenLayout l;
    linear_of_term_layout(f->set->tile, term[i].shift, term[i].mask, &l);
    if (rows_listed && layout_is_within_rows(&l)) continue;
    add_xor(f, first, NULL, &l, linear_count(&space, &m, INT64_MAX, &violating_group, &s->stage));
  }
  for (int moves = 0; moves <= (space.moves && !f->set->stays) && f->lowest > s->least; moves++) {
    Budget part = budget_part(&s->stage, 1, 4);
    KgenLayout l;
    const MapSearch r = linear_search(&space, moves, s->least, f->lowest - 1, &part);
    add_found(f, NULL, &r, r.found && linear_layout(&space, &r.map, &l), &l);
  }
}

/* Adds the XORs among the coordinates of an unpadded tile. */
static void list_coordinates(Listing *f, bool rows_listed) {
  Solver *s = &f->solver;
  Strides at = {.layout = layout_plain(f->set->tile)};
  const Group *violating_group;
  const int first = f->points;
  if (solver_enter_coordinates(s, &at) != REACH_ALL) return;
  const TermList list = coordinates_terms(s->lists, &at.space);
  for (int i = 0; i < list.count && !solver_is_spent(s); i++) {
    const Map m = coordinates_of_term(&at.space, list.term[i].term);
    KgenLayout l;
    if (coordinates_layout(&at.space, &m, &l) && !(rows_listed && layout_is_within_rows(&l)))
      add_xor(f, first, NULL, &l,
              total_count(at.space.classes, at.rows, &m, INT64_MAX, &violating_group, &s->stage));
  }
  list_best_map(f, &at);
}

static void list_strides(Listing *f, const KgenLayout *l) {
  Solver *s = &f->solver;
  Strides at;
  if (solver_enter_strides(s, l, &at) != ROWS_HOLD) return;
  arena_clear(s->lists);
  if (!solver_repeats_plain(&at.layout)) {
    const int64_t total = total_of(s, &at, &at.layout);
    add_point(f, &at.layout, total, wavefronts_of(f, &at, &at.layout, total));
  }
  const bool rows = solver_find_maps(s, &at);
  if (rows) {
    list_terms(f, &at);
    list_best_map(f, &at);
  }
  if (kgen_elements(l) == tile_elements(f->set->tile) && !l->period) {
    list_index(f, rows);
    list_coordinates(f, rows);
  }
}

/* --- all of them --- */

/* Lists every set of strides. Pads after the minimum total is reached are listed only for
 * completeness. */
static void list_all(Listing *f) {
  StridesWalk walk = solver_walk(&f->solver);
  while (f->out.complete && strides_next(&walk)) {
    f->out.complete = f->points < MOST_POINTS && !solver_is_spent(&f->solver);
    if (f->out.complete) list_strides(f, &walk.at);
  }
  if (f->solver.stopped) f->out.complete = false;
  if (!f->out.complete && f->lowest > f->solver.least) f->out.exact = false;
}

/* TMA and wgmma need one of the hardware's modes. */
static void list_modes(Listing *f) {
  Mode mode[MODES];
  modes_judge(f->arena, f->set, mode);
  for (int m = 0; m < MODES; m++) {
    const KgenLayout *l = &mode[m].layout;
    if (mode[m].admitted) add_point(f, l, mode[m].total, wavefronts_of(f, NULL, l, mode[m].total));
  }
}

static bool same_strides(const KgenLayout *x, const KgenLayout *y) {
  const int strides = x->period ? 2 : x->rank;
  return x->period == y->period &&
         memcmp(x->stride, y->stride, (size_t)strides * sizeof *x->stride) == 0;
}

static void add_chosen(Listing *f, const Solution *solution) {
  const KgenLayout *l = &solution->layout;
  for (int i = 0; i < f->points; i++) {
    FrontPoint *p = &f->point[i];
    if (p->total != solution->total || !p->layout.terms != !l->terms ||
        !same_strides(&p->layout, l))
      continue;
    p->layout = *l;
    p->wavefronts = solution->wavefronts;
    p->chosen = true;
    return;
  }
  add_point(f, l, solution->total, solution->wavefronts);
  f->point[f->points - 1].chosen = true;
}

static int by_price(const void *px, const void *py) {
  const FrontPoint *x = px, *y = py;
  if (x->bytes != y->bytes) return x->bytes < y->bytes ? -1 : 1;
  if (x->total != y->total) return x->total < y->total ? -1 : 1;
  if (x->layout.terms != y->layout.terms) return x->layout.terms - y->layout.terms;
  if (x->chosen != y->chosen) return x->chosen ? -1 : 1;
  if (x->layout.period != y->layout.period) return x->layout.period - y->layout.period;
  return memcmp(x->layout.stride, y->layout.stride, sizeof x->layout.stride);
}

/* Sorts by bytes and marks each point that lowers the total so far as `best`. */
static void judge_points(Listing *f) {
  int64_t lowest = INT64_MAX;
  qsort(f->point, (size_t)f->points, sizeof *f->point, by_price);
  for (int i = 0; i < f->points; i++) {
    FrontPoint *p = &f->point[i];
    p->best = p->total < lowest;
    if (p->best) lowest = p->total;
  }
}

Front front_list(Arena *a, const AccessSet *set, const Solution *solution, Budget *b) {
  Listing f = {.arena = a,
               .set = set,
               .ones = weights_are_one(set),
               .lowest = INT64_MAX,
               .out = {.exact = true, .complete = true}};
  solver_begin(&f.solver, a, set, WANT_AUTO, budget_rest(b));
  if (solution->minimal && set->tile->want.kind == WANT_AUTO) f.solver.least = solution->total;
  (mode_needed(set) ? list_modes : list_all)(&f);
  add_chosen(&f, solution);
  judge_points(&f);
  solver_end(&f.solver);
  budget_spend(b, f.solver.budget.spent);
  f.out.points = f.points;
  f.out.point = f.point;
  return f.out;
}
