#include "solve/solve.h"

#include "solve/given.h"
#include "solve/modes_solve.h"
#include "solve/solver.h"

/* --- accepting and refusing --- */

/* The most that a layout of these bytes, terms and mask bits may cost to be better than
 * the best. */
static int64_t max_improving_cost(const Solver *s, int64_t bytes, int terms, int bits) {
  const Price equal = {s->best.price.total, bytes, terms, bits};
  return s->best.price.total - (solution_is_cheaper(&equal, &s->best.price) ? 0 : 1);
}

/* A layout without a culprit that is not better costs as few wavefronts, only more bytes or a
 * dearer address: that needs no witness. */
static void consider(Solver *s, Candidate c) {
  Candidate worse = c;
  if (solution_is_cheaper(&c.price, &s->best.price)) {
    worse = s->best;
    s->best = c;
  }
  if (worse.violating_group)
    certificate_refuse(&s->certificate, &worse.layout, worse.violating_group->at,
                       worse.price.total);
}

static void prove(Solver *s, const Strides *at, ProofKind kind, int64_t total, const MapSearch *r) {
  if (!r->complete) s->exhausted = true;
  certificate_prove(&s->certificate, &(Proof){.kind = kind,
                                              .base = at->layout,
                                              .row_bits = at->rows->row_bits,
                                              .col_bits = at->space.col_bits,
                                              .total = total,
                                              .nodes = r->nodes,
                                              .complete = r->complete});
}

/* --- one set of strides --- */

/* Of a rank-1 tile also one whose last period is not full. */
static bool is_unpadded(const Solver *s, const KgenLayout *l) {
  if (l->rank == 1) return l->period == 0 || l->stride[0] == l->period;
  return kgen_elements(l) == tile_elements(s->set->tile);
}

/* Counts a layout of these strides, and accepts or refuses it. */
static void try_layout(Solver *s, const Strides *at, const KgenLayout *l) {
  const int64_t most = max_improving_cost(s, at->bytes, l->terms, layout_mask_bits(l));
  consider(s, solver_count(s, at, l, most));
}

static void try_plain(Solver *s, Strides *at) {
  if (!solver_repeats_plain(&at->layout)) try_layout(s, at, &at->layout);
}

/* All single terms, cheapest first, until none that is left can be better. False if the stage's
 * budget ended, or none was as good as a layout can be. */
static bool try_terms(Solver *s, const Strides *at) {
  const TermList list = maps_single_terms(s->arena, &at->space);
  KgenLayout l = at->layout;
  l.terms = 1;
  for (int i = 0; i < list.count && !solver_is_spent(s); i++) {
    l.term[0] = list.term[i];
    if (max_improving_cost(s, at->bytes, 1, layout_mask_bits(&l)) < s->least) return true;
    if (maps_tears(&at->space, &l))
      certificate_rule(&s->certificate, &l, REFUSED_CONTIGUITY);
    else
      try_layout(s, at, &l);
  }
  return max_improving_cost(s, at->bytes, 2, 0) < s->least;
}

/* Offers a map as a layout; one of too many terms cannot be written as one. */
static void take(Solver *s, const Strides *at, const Map *m) {
  KgenLayout l = at->layout;
  if (maps_terms(&at->space, m, &l))
    consider(s, (Candidate){l, solution_price(s->set->tile, &l, m->total),
                            m->total > s->floor ? s->best.violating_group : NULL});
  else
    s->exhausted = true;
}

static int64_t effort_left(const Solver *s) {
  return s->effort > s->budget.spent ? s->effort - s->budget.spent : 0;
}

/* Takes over the cheapest map of that total, if it is cheaper than the best; if the search finds
 * none, the one that is known. Of a free layout nothing else is left to be decided. */
static void take_cheapest(Solver *s, const Strides *at, const Map *known) {
  const Price *best = &s->best.price;
  const int64_t total = known ? known->total : best->total;
  const bool tie = best->total == total && best->bytes == at->bytes;
  const int terms = tie ? best->terms : KGEN_MAX_TERMS + 1;
  Budget part = {0, effort_left(s) / 4 * 3, &s->budget};
  const MapSearch r = map_search_cheapest(&at->space, total, terms, best->bits - 1, &part);
  prove(s, at, PROOF_NO_TERMS, total, &r);
  if (r.found)
    take(s, at, &r.map);
  else if (known)
    take(s, at, known);
}

/* The XOR maps where no wavefront may be above the floor: whether there is such a map, and the
 * cheapest one. */
static void ask_free_maps(Solver *s, Strides *at) {
  if (max_improving_cost(s, at->bytes, 1, 1) < s->least || !solver_find_maps(s, at)) return;
  Budget part = budget_part(&s->stage, 3, 4);
  const MapSearch r = map_search_least(&at->space, s->least, s->floor, &part);
  if (!r.found)
    prove(s, at, PROOF_NO_FREE, s->floor, &r);
  else if (!try_terms(s, at))
    take_cheapest(s, at, &r.map);
}

static void try_single_terms(Solver *s, Strides *at) {
  if (solver_find_maps(s, at)) try_terms(s, at);
}

/* Maps of two terms and more: first whether any has fewer wavefronts, or as many and fewer bytes,
 * then the cheapest of them. */
static void try_multi_terms(Solver *s, Strides *at) {
  const int64_t most = max_improving_cost(s, at->bytes, KGEN_MAX_TERMS + 1, 0);
  if (!solver_find_maps(s, at)) return;
  Budget part = budget_part(&s->stage, is_unpadded(s, &at->layout) ? 3 : 1, 4);
  MapSearch r = {.complete = true};
  if (most >= s->least) {
    r = map_search_least(&at->space, s->least, most, &part);
    prove(s, at, PROOF_NO_XOR, r.found ? r.map.total : most + 1, &r);
  }
  if (r.found)
    take_cheapest(s, at, &r.map);
  else if (s->best.price.bytes == at->bytes && s->best.price.terms >= 2)
    take_cheapest(s, at, NULL);
}

/* --- all strides --- */

static bool has_layout(const Solver *s) { return s->best.price.bytes < INT64_MAX; }

/* Nothing from these strides on can be better: they take more bytes, and wavefronts are at the
 * least. */
static bool settled_before(const Solver *s, const KgenLayout *l) {
  return s->best.price.total == s->least &&
         layout_bytes(l, s->set->tile->dtype->bytes) > s->best.price.bytes;
}

/* A stage asks strides, fewest bytes first, until the best is settled or its budget is spent. */
typedef struct {
  void (*attempt)(Solver *s, Strides *at);
  bool padded, xors; /* asks strides with pads, instead of those without; maps */
  int part;          /* of the effort at most, in sixteenths */
  int left;          /* or so many eighths of what is left of it */
} Stage;

/* Strides alone are tried until there is a layout to answer with, whatever the budget. Strides that
 * break a rule are refused by it, not once more for their maps. */
static void run_stage(Solver *s, const Stage *stage) {
  StridesWalk walk = solver_walk(s);
  Strides at;
  const int64_t least = s->effort / 16 * stage->part, most = effort_left(s) / 8 * stage->left;
  s->stage = (Budget){0, least > most ? least : most, &s->budget};
  while (strides_next(&walk) && !settled_before(s, &walk.at)) {
    const bool padded = !is_unpadded(s, &walk.at);
    if (padded && !stage->padded && walk.at.rank > 1) return;
    if (padded != stage->padded) continue;
    if (solver_is_spent(s) && (stage->xors || !s->counts || has_layout(s))) return;
    const RowsVerdict verdict = solver_enter_strides(s, &walk.at, &at);
    if (verdict == ROWS_HOLD)
      stage->attempt(s, &at);
    else if (!stage->xors)
      certificate_rule(&s->certificate, &walk.at,
                       verdict == ROWS_TEAR ? REFUSED_CONTIGUITY : REFUSED_ALIGNMENT);
  }
}

static long least_weight(const AccessSet *set) {
  long least = set->access[0].weight;
  for (int i = 1; i < set->accesses; i++)
    if (set->access[i].weight < least) least = set->access[i].weight;
  return least;
}

/* A stage that both `auto` and a narrower request run has the same budget in both, and nothing that
 * was asked before it but a better layout to start from: so `auto` is never worse. */
static void run_stages(Solver *s, const Stage *stage, int count) {
  for (int i = 0; i < count; i++)
    if ((s->pads || !stage[i].padded) && (s->xors || !stage[i].xors)) run_stage(s, &stage[i]);
}

/* First whether a layout is free; where none is, the least total. */
static void solve_all(Solver *s) {
  static const Stage free[] = {{try_plain, false, false, 1, 0},
                               {ask_free_maps, false, true, 6, 0},
                               {try_plain, true, false, 6, 0},
                               {ask_free_maps, true, true, 1, 7}};
  static const Stage least[] = {
      {try_plain, false, false, 1, 0},      {try_single_terms, false, true, 2, 0},
      {try_multi_terms, false, true, 8, 0}, {try_plain, true, false, 13, 0},
      {try_single_terms, true, true, 1, 4}, {try_multi_terms, true, true, 2, 8}};
  s->best.price.total = s->floor;
  run_stages(s, free, sizeof free / sizeof *free);
  if (has_layout(s)) return;
  if (!s->exhausted) s->least = s->floor + least_weight(s->set);
  s->exhausted = false;
  s->counts = true;
  s->best.price.total = INT64_MAX - 1;
  certificate_drop_witnesses(&s->certificate);
  run_stages(s, least, sizeof least / sizeof *least);
}

/* --- the result --- */

/* Paddings were left out only where others than none were of interest. */
static bool wants_pads(const Solver *s) {
  const KgenLayout plain = layout_plain(s->set->tile);
  return s->best.price.total > s->least || kgen_elements(&s->best.layout) > kgen_elements(&plain);
}

static const Solution *finish(Solver *s) {
  Solution *out = ARENA_NEW(s->arena, Solution);
  s->best.layout = out->layout =
      modes_prefer(s->arena, s->set, &s->best.layout, s->best.price.total);
  out->minimal = !s->exhausted;
  if (!layout_admissible(&out->layout, s->set)) die("the solver chose a layout that breaks a rule");
  solution_count(s->arena, s->set, out);
  if (out->total != s->best.price.total) die("a layout does not cost what it was searched at");
  if (wants_pads(s)) certificate_prove_multiples(&s->certificate, s->multiple);
  if (!out->conflict_free) certificate_prove_floor(&s->certificate, solver_classes(s, 0, false));
  solution_certify(out, &s->certificate, s->floor);
  modes_append_claim(s->arena, s->set, out);
  out->effort = s->budget.spent;
  return out;
}

static void report_none(Diag *d, const AccessSet *set) {
  const LayoutRequest *want = &set->tile->want;
  diag_error(d, want->loc,
             "no layout of kind '%s' keeps every vector and %d-byte piece aligned within %d bytes",
             want_name[want->kind], want->align, want->max_bytes);
  if (want->kind == WANT_NONE || want->kind == WANT_XOR)
    diag_hint(d, "rows must be padded to whole vectors: use 'pad' or 'auto'");
}

/* The cheapest layout of the family that the request names. */
static const Solution *search(Arena *a, Diag *d, const AccessSet *set) {
  const int64_t effort = set->effort ? set->effort : SOLVE_EFFORT;
  Solver s;
  solver_begin(&s, a, set, set->tile->want.kind, effort);
  solve_all(&s);
  if (has_layout(&s)) return finish(&s);
  report_none(d, set);
  return NULL;
}

/* --- what is asked for --- */

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
  return search(a, d, set);
}
