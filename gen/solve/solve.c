#include "solve/solve.h"

#include "model/modes.h"
#include "solve/given.h"
#include "solve/layouts.h"
#include "solve/modes_solve.h"
#include "solve/solution.h"

/* --- all strides --- */

/* A stage: every padding, fewest bytes first, until the best is settled or the stage's part of what
 * is left is spent. */
typedef struct {
  Solver *solver;
  void (*try)(Solver *s, const KgenLayout *l);
} Stage;

static bool has_layout(const Solver *s) { return s->best.price.bytes < INT64_MAX; }

/* Nothing from these strides on can be better: they take more bytes, and wavefronts are at the
 * least. */
static bool settled_before(const Solver *s, const KgenLayout *l) {
  return s->best.price.total == s->least &&
         layout_bytes(l, s->set->tile->dtype->bytes) > s->best.price.bytes;
}

/* Where none is known, strides and single terms are tried until there is a layout to answer with,
 * whatever the budget. */
static bool visit_strides(void *stage, const KgenLayout *l) {
  const Stage *t = stage;
  const bool may_end = t->try != layouts_try_terms || has_layout(t->solver);
  if (settled_before(t->solver, l) || (solver_is_spent(t->solver) && may_end)) return false;
  t->try(t->solver, l);
  return true;
}

static void run_stage(Solver *s, Budget part, void (*try)(Solver *s, const KgenLayout *l)) {
  s->stage = part;
  solver_walk(s, visit_strides, &(Stage){s, try});
}

static long least_weight(const AccessSet *set) {
  long least = set->access[0].weight;
  for (int i = 1; i < set->accesses; i++)
    if (set->access[i].weight < least) least = set->access[i].weight;
  return least;
}

/* First whether a layout is free; where none is, the least total, with few terms before many. */
static void solve_all(Solver *s) {
  s->best.price.total = s->floor;
  run_stage(s, budget_part(&s->budget, 7, 8), layouts_try_free);
  if (has_layout(s)) return;
  if (!s->exhausted) s->least = s->floor + least_weight(s->set);
  s->exhausted = false;
  s->best.price.total = INT64_MAX - 1;
  certificate_drop_witnesses(&s->certificate);
  run_stage(s, budget_part(&s->budget, 1, 2), layouts_try_terms);
  if (s->xors) run_stage(s, budget_part(&s->budget, 1, 1), layouts_try_maps);
}

/* --- the result --- */

/* Where a group cannot reach its ideal under any layout, says which and why. */
static void prove_floor(Solver *s) {
  const Classes *c = solver_classes(s, 0, false);
  const BankGeometry banks = s->set->banks;
  for (int i = 0; i < c->count && s->set->tile->rank > 1; i++) {
    const Group *g = &c->group[i];
    const int words = s->set->access[g->at.access].bytes_per_lane * g->lanes / banks.bytes;
    if (g->copy || g->floor == 1 || g->floor <= (words + banks.count - 1) / banks.count) continue;
    certificate_prove(&s->certificate,
                      &(Proof){.kind = g->piece ? PROOF_SAME_PLACE : PROOF_SAME_ROW,
                               .base = layout_plain(s->set->tile),
                               .total = c->floor,
                               .complete = true,
                               .at = g->at,
                               .piece = g->piece});
    return;
  }
}

/* Which paddings were left out, where others than none were of interest. */
static void prove_alignment(Solver *s) {
  const KgenLayout plain = layout_plain(s->set->tile);
  int multiple[KGEN_MAX_RANK - 1];
  const bool beyond =
      s->best.price.total > s->least || kgen_elements(&s->best.layout) > kgen_elements(&plain);
  if (!beyond) return;
  solver_multiples(s, multiple);
  for (int d = 0; d < plain.rank - 1; d++)
    if (multiple[d] > 1)
      certificate_prove(&s->certificate, &(Proof){.kind = PROOF_ALIGNMENT,
                                                  .base = plain,
                                                  .dim = d,
                                                  .multiple = multiple[d],
                                                  .complete = true});
}

static const Solution *finish(Solver *s) {
  Solution *out = ARENA_NEW(s->arena, Solution);
  s->best.layout = out->layout =
      modes_prefer(s->arena, s->set, &s->best.layout, s->best.price.total);
  out->minimal = !s->exhausted;
  if (!layout_admissible(&out->layout, s->set)) die("the solver chose a layout that breaks a rule");
  solution_count(s->arena, s->set, out);
  if (out->total != s->best.price.total) die("a layout does not cost what it was searched at");
  prove_alignment(s);
  if (!out->conflict_free) prove_floor(s);
  solution_certify(out, &s->certificate, s->floor);
  modes_tell(s->arena, s->set, out);
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

static const Solution *search(Arena *a, Diag *d, const AccessSet *set) {
  const Want kind = set->tile->want.kind;
  Solver s = {.arena = a,
              .set = set,
              .pads = kind == WANT_AUTO || kind == WANT_PAD,
              .xors = kind == WANT_AUTO || kind == WANT_XOR,
              .best.price = {.total = INT64_MAX - 1, .bytes = INT64_MAX},
              .budget = {0, set->effort ? set->effort : SOLVE_EFFORT, NULL},
              .certificate = certificate_new(a, set)};
  s.stage = budget_part(&s.budget, 1, 1);
  s.floor = s.least = solver_floor(&s);
  const KgenLayout plain = layout_plain(set->tile);
  if (kind == WANT_NONE)
    layouts_try_terms(&s, &plain);
  else
    solve_all(&s);
  if (!has_layout(&s)) {
    report_none(d, set);
    return NULL;
  }
  return finish(&s);
}

/* A given layout beside what the family `auto` holds. */
static const Solution *judge(Arena *a, Diag *d, const AccessSet *set) {
  AccessSet *alone = ARENA_NEW(a, AccessSet);
  Tile *tile = ARENA_NEW(a, Tile);
  *alone = *set;
  *tile = *set->tile;
  tile->want.given = NULL;
  tile->want.kind = WANT_AUTO;
  alone->tile = tile;
  return given_judge(a, d, set, solve_tile(a, diag_new(a), alone));
}

const Solution *solve_tile(Arena *a, Diag *d, const AccessSet *set) {
  if (set->tile->want.given) return judge(a, d, set);
  if (set->tile->want.kind == WANT_TMA || mode_needed(set)) return modes_solve(a, d, set);
  return set->tile->want.pad ? given_pad(a, d, set) : search(a, d, set);
}
