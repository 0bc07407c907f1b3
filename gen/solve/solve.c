#include "solve/solve.h"

#include "solve/free_map.h"

enum { MAX_PERIODS = 20, CLASS_KINDS = 3 };

/* The best layout so far and its price, in the order of importance. */
typedef struct {
  KgenLayout layout;
  int64_t total; /* weighted wavefronts in thousandths */
  int64_t bytes;
  int terms, bits;
  const Group *culprit; /* a group above its floor, NULL if there is none */
} Best;

/* A tile of rank 1 cut into rows of a period; all there is of another tile. */
typedef struct {
  Rows rows;
  int32_t *x; /* X(row) of the map under test */
  Suspects *suspects[CLASS_KINDS];
} Cut;

typedef struct {
  Arena *arena;
  const AccessSet *set;
  bool pads, xors;      /* what the family holds */
  int64_t floor;        /* no layout of the family costs less */
  int64_t least;        /* nor less than this, once it is known that none is at the floor */
  Cut cut[MAX_PERIODS]; /* by period_index */
  Best best;
  Budget budget;  /* its limit is that of the stage under way */
  bool exhausted; /* some search stopped at its limit */
  CertificateBuilder certificate;
} Solver;

/* One set of strides that keeps all pieces, its rows placed. */
typedef struct {
  KgenLayout layout;
  Cut *cut;
  int64_t bytes;
  RowsVerdict verdict;
} Strides;

/* 0 without a period, else its logarithm and 1. */
static int period_index(int period) { return period ? __builtin_ctz((unsigned)period) + 1 : 0; }

static Cut *cut_of(Solver *s, int period) {
  Cut *c = &s->cut[period_index(period)];
  if (c->x) return c;
  c->rows = rows_new(s->arena, s->set, period);
  c->x = ARENA_ARRAY(s->arena, int32_t, (size_t)1 << c->rows.row_bits);
  return c;
}

static Suspects *suspects_of(Solver *s, int period, ClassKind kind) {
  Cut *cut = cut_of(s, period);
  if (cut->suspects[kind]) return cut->suspects[kind];
  Budget part = budget_part(&s->budget, 8);
  const Classes *c = group_classes(s->arena, s->set, period, cut->rows.unit, kind, &part);
  budget_spend(&s->budget, part.spent);
  for (int i = 0; i < s->set->accesses; i++)
    budget_spend(&s->budget, s->set->access[i].warps * 800);
  cut->suspects[kind] = ARENA_NEW(s->arena, Suspects);
  *cut->suspects[kind] = suspects_new(s->arena, c);
  return cut->suspects[kind];
}

static const Classes *plain_classes(Solver *s, int period) {
  return suspects_of(s, period, CLASS_SHIFT)->classes;
}

/* The groups as the maps at these strides see them. */
static Suspects *map_suspects(Solver *s, const Strides *at) {
  const int cols = layout_cols(&at->layout);
  const bool linear = maps_are_linear(s->set, &at->cut->rows, cols);
  return suspects_of(s, at->layout.period, linear ? CLASS_XOR : CLASS_SAME);
}

/* --- accepting and refusing --- */

static bool is_better(const Best *a, const Best *b) {
  if (a->total != b->total) return a->total < b->total;
  if (a->bytes != b->bytes) return a->bytes < b->bytes;
  if (a->terms != b->terms) return a->terms < b->terms;
  return a->bits < b->bits;
}

/* From what total on a layout of that price is of no interest. */
static int64_t enough_for(const Solver *s, int64_t bytes, int terms, int bits) {
  const Best equal = {.total = s->best.total, .bytes = bytes, .terms = terms, .bits = bits};
  return s->best.total + (is_better(&equal, &s->best) ? 1 : 0);
}

static void refuse(Solver *s, const KgenLayout *l, const Group *g, int64_t total) {
  certificate_refuse(&s->certificate, l, (Place){g->access, g->warp, g->index, 0}, total);
}

/* A layout without a culprit that is not better costs as few wavefronts, only more bytes or a
 * dearer address: that needs no witness. */
static void consider(Solver *s, const Best *b) {
  if (!is_better(b, &s->best)) {
    if (b->culprit) refuse(s, &b->layout, b->culprit, b->total);
    return;
  }
  if (s->best.culprit) refuse(s, &s->best.layout, s->best.culprit, s->best.total);
  s->best = *b;
}

static Best candidate(const Solver *s, const KgenLayout *l) {
  return (Best){.layout = *l,
                .bytes = layout_bytes(l, s->set->tile->dtype->bytes),
                .terms = l->terms,
                .bits = layout_mask_bits(l)};
}

/* The group that costs most under every layout with these rows; NULL if that is what every layout
 * costs. */
static const Group *highest_floor(const Solver *s, const Classes *c) {
  const Group *highest = &c->group[0];
  for (int i = 1; i < c->count; i++)
    if (c->group[i].floor > highest->floor) highest = &c->group[i];
  return c->floor > s->floor ? highest : NULL;
}

static bool spent(Solver *s) {
  if (budget_left(&s->budget)) return false;
  s->exhausted = true;
  return true;
}

static void prove(Solver *s, const Strides *at, const MapSpace *space, ProofKind kind,
                  int64_t total, const MapSearch *r) {
  if (!r->complete) s->exhausted = true;
  certificate_prove(&s->certificate, &(Proof){.kind = kind,
                                              .base = at->layout,
                                              .row_bits = space->rows->row_bits,
                                              .col_bits = space->col_bits,
                                              .total = total,
                                              .nodes = r->nodes,
                                              .complete = r->complete});
}

/* --- one set of strides --- */

/* Places the rows. False if these strides break a rule. */
static bool enter_strides(Solver *s, const Padding *p, Strides *at) {
  at->layout = strides_layout(s->set, p);
  at->bytes = layout_bytes(&at->layout, s->set->tile->dtype->bytes);
  at->cut = cut_of(s, at->layout.period);
  Rows *rows = &at->cut->rows;
  at->verdict = rows_judge_strides(rows, &at->layout);
  budget_spend(&s->budget, 60);
  if (at->verdict == ROWS_HOLD) {
    rows_place(rows, &at->layout);
    at->verdict = rows_judge(rows, &at->layout);
    budget_spend(&s->budget, INT64_C(2) << rows->row_bits);
  }
  return at->verdict == ROWS_HOLD && at->bytes <= s->set->tile->want.max_bytes;
}

/* The witness of strides that cannot be used. */
static void refuse_strides(Solver *s, const Strides *at) {
  const bool tears = at->verdict == ROWS_TEAR;
  certificate_rule(&s->certificate, &at->layout, tears ? REFUSED_CONTIGUITY : REFUSED_ALIGNMENT);
}

/* Rows of a period that stand side by side are the plain layout, which is tried without a period.
 */
static bool repeats_plain(const KgenLayout *l) { return l->period && l->stride[0] == l->period; }

static Placement placement(const Solver *s, const Strides *at) {
  return (Placement){s->set, at->cut->rows.base, at->cut->x};
}

static MapSpace space_at(const Strides *at, const Suspects *groups) {
  return maps_space(groups->classes, &at->cut->rows);
}

static bool has_maps(const Solver *s, const MapSpace *space) {
  return s->xors && space->col_bits != 0 && space->rows->row_bits > 0;
}

static void clear_map(const Strides *at) {
  for (int row = 0; row < 1 << at->cut->rows.row_bits; row++) at->cut->x[row] = 0;
}

/* Takes over a map as a layout. */
static void consider_map(Solver *s, const Strides *at, const Map *m, const MapSpace *space) {
  Best b = {.layout = at->layout, .bytes = at->bytes, .total = m->total};
  if (!maps_terms(space, m, &b.layout)) {
    s->exhausted = true;
    return;
  }
  b.culprit = m->total > s->floor ? s->best.culprit : NULL;
  b.terms = b.layout.terms;
  b.bits = layout_mask_bits(&b.layout);
  consider(s, &b);
}

/* --- first: is there a layout under which every group is at its floor? --- */

/* A layout with one group above its floor: no layout that costs the floor. */
static void refuse_free(Solver *s, const KgenLayout *l, const Classes *c, const Group *g) {
  const int64_t total = c->floor > s->floor ? c->floor : c->floor + g->weight;
  refuse(s, l, g, total < s->floor ? s->floor : total);
}

static void try_free_plain(Solver *s, const Strides *at) {
  Suspects *groups = suspects_of(s, at->layout.period, CLASS_SHIFT);
  const Placement p = placement(s, at);
  const Group *g = highest_floor(s, groups->classes);
  clear_map(at);
  if (!g) g = suspects_refuse(groups, &p, &s->budget);
  if (groups->classes->floor < s->floor) s->exhausted = true; /* floors are loose */
  if (g) {
    refuse_free(s, &at->layout, groups->classes, g);
    return;
  }
  Best b = candidate(s, &at->layout);
  b.total = s->floor;
  consider(s, &b);
}

/* The cheapest single term that is free; those before it are refused one by one. */
static bool try_free_terms(Solver *s, const Strides *at, Suspects *groups, const MapSpace *space) {
  const TermList list = maps_single_terms(s->arena, space);
  const Placement p = placement(s, at);
  KgenLayout l = at->layout;
  l.terms = 1;
  for (int i = 0; i < list.count && !spent(s); i++) {
    l.term[0] = list.term[i];
    Best b = candidate(s, &l);
    b.total = s->floor;
    if (!is_better(&b, &s->best)) return true;
    const Map m = maps_of_term(space, l.term[0]);
    budget_spend(&s->budget, INT64_C(1) << space->rows->row_bits);
    if (!maps_place(space, &m, at->cut->x)) {
      certificate_rule(&s->certificate, &l, REFUSED_CONTIGUITY);
      continue;
    }
    const Group *g = suspects_refuse(groups, &p, &s->budget);
    if (!g) consider(s, &b);
    if (!g) return true;
    refuse_free(s, &l, groups->classes, g);
  }
  return false;
}

/* Maps of two terms and more. `known` is one that is free. */
static void try_free_maps(Solver *s, const Strides *at, Suspects *groups, const MapSpace *space,
                          const Map *known) {
  const bool tie = s->best.total == s->floor && s->best.bytes == at->bytes;
  const Price price = {s->floor, tie ? s->best.terms : KGEN_MAX_TERMS,
                       tie ? s->best.bits : INT16_MAX};
  Budget part = budget_part(&s->budget, 2);
  const MapSearch r = free_map_cheapest(groups, space, &price, at->cut->x, &part);
  budget_spend(&s->budget, part.spent);
  prove(s, at, space, PROOF_NO_TERMS, s->floor, &r);
  if (r.found || !r.complete) consider_map(s, at, r.found ? &r.map : known, space);
}

static void try_free_xors(Solver *s, const Strides *at) {
  Suspects *groups = map_suspects(s, at);
  const MapSpace space = space_at(at, groups);
  const bool tie = s->best.total == s->floor && s->best.bytes == at->bytes;
  if (!has_maps(s, &space) || (tie && s->best.terms == 0)) return;
  MapSearch r = {.complete = true};
  if (groups->classes->floor < s->floor) r.complete = false;
  if (groups->classes->floor == s->floor) {
    Budget part = budget_part(&s->budget, 4);
    r = free_map(groups, &space, at->cut->x, &part);
    budget_spend(&s->budget, part.spent);
  }
  if (!r.found)
    prove(s, at, &space, PROOF_NO_FREE, s->floor, &r);
  else if (!try_free_terms(s, at, groups, &space))
    try_free_maps(s, at, groups, &space, &r.map);
}

static void try_free(Solver *s, const Padding *p) {
  Strides at;
  if (!enter_strides(s, p, &at)) {
    refuse_strides(s, &at);
    return;
  }
  if (!repeats_plain(&at.layout)) try_free_plain(s, &at);
  try_free_xors(s, &at);
}

/* --- if not: the least total --- */

/* Costs the placement that the cut's rows describe, as layout l. */
static void try_total(Solver *s, const Strides *at, const Classes *c, const KgenLayout *l) {
  const Placement p = placement(s, at);
  Best b = candidate(s, l);
  const int64_t enough = enough_for(s, b.bytes, b.terms, b.bits);
  b.total = c->floor;
  b.culprit = highest_floor(s, c);
  bool over_floor = false;
  for (int i = 0; i < c->count && b.total < enough; i++) {
    const Group *g = &c->group[i];
    const int over = group_cost(&p, g, g->lanes) - g->floor;
    budget_spend(&s->budget, group_steps(g, g->lanes));
    b.total += over * g->weight;
    if (over > 0 && (!over_floor || b.total >= enough)) b.culprit = g;
    over_floor = over_floor || over > 0;
  }
  consider(s, &b);
}

static void try_total_terms(Solver *s, const Strides *at) {
  const Suspects *groups = map_suspects(s, at);
  const MapSpace space = space_at(at, groups);
  if (!has_maps(s, &space)) return;
  const TermList list = maps_single_terms(s->arena, &space);
  KgenLayout l = at->layout;
  l.terms = 1;
  for (int i = 0; i < list.count && !spent(s); i++) {
    l.term[0] = list.term[i];
    const Best b = candidate(s, &l);
    if (s->best.total == s->least && enough_for(s, b.bytes, 1, b.bits) == s->least) return;
    const Map m = maps_of_term(&space, l.term[0]);
    budget_spend(&s->budget, INT64_C(1) << space.rows->row_bits);
    if (maps_place(&space, &m, at->cut->x))
      try_total(s, at, groups->classes, &l);
    else
      certificate_rule(&s->certificate, &l, REFUSED_CONTIGUITY);
  }
}

static void try_total_strides(Solver *s, const Padding *p) {
  Strides at;
  if (!enter_strides(s, p, &at)) {
    refuse_strides(s, &at);
    return;
  }
  clear_map(&at);
  if (!repeats_plain(&at.layout)) try_total(s, &at, plain_classes(s, at.layout.period), &at.layout);
  const bool settled = s->best.total == s->least && s->best.terms == 0;
  if (!settled) try_total_terms(s, &at);
}

/* Takes over the cheapest map that costs at most `total` and is cheaper than the best. */
static bool take_cheapest(Solver *s, const Strides *at, const MapSpace *space, int64_t total) {
  const bool tie = s->best.total == total && s->best.bytes == at->bytes;
  const Price price = {total, tie ? s->best.terms : KGEN_MAX_TERMS, tie ? s->best.bits : INT16_MAX};
  Budget part = budget_part(&s->budget, 4);
  const MapSearch r = total_cheapest(space, &price, &part);
  budget_spend(&s->budget, part.spent);
  prove(s, at, space, PROOF_NO_TERMS, total, &r);
  if (r.found) consider_map(s, at, &r.map, space);
  return r.found;
}

/* Maps of two terms and more: first whether any has fewer wavefronts, or as many and fewer bytes,
 * then the cheapest of them. */
static void try_total_maps(Solver *s, const Padding *p) {
  Strides at;
  if (!enter_strides(s, p, &at)) return;
  const Suspects *groups = map_suspects(s, &at);
  const MapSpace space = space_at(&at, groups);
  if (!has_maps(s, &space)) return;
  const int64_t below = s->best.total + (at.bytes < s->best.bytes);
  if (below > s->least) {
    Budget part = budget_part(&s->budget, 4);
    const MapSearch r = total_fewest(&space, below, &part);
    budget_spend(&s->budget, part.spent);
    prove(s, &at, &space, PROOF_NO_XOR, r.found ? r.map.total : below, &r);
    if (r.found && !take_cheapest(s, &at, &space, r.map.total))
      consider_map(s, &at, &r.map, &space);
    if (r.found) return;
  }
  if (s->best.bytes == at.bytes && s->best.terms >= 2) take_cheapest(s, &at, &space, s->best.total);
}

/* --- all strides --- */

/* Nothing after padding p can be better: it and all after it take more bytes, and wavefronts are at
 * the least. */
static bool settled_before(const Solver *s, const Padding *p) {
  return s->best.total == s->least &&
         (int64_t)p->elements * s->set->tile->dtype->bytes > s->best.bytes;
}

/* Every padding, fewest bytes first, until the best is settled or the stage's budget is spent. */
static void try_all(Solver *s, void (*try)(Solver *s, const Padding *p)) {
  PaddingWalk walk = strides_walk(s->set, s->pads, &s->budget);
  for (const Padding *p; (p = strides_next(&walk)) && !settled_before(s, p) && !spent(s);)
    try(s, p);
  if (!walk.complete) s->exhausted = true;
  strides_end(&walk);
}

static long least_weight(const AccessSet *set) {
  long least = set->access[0].weight;
  for (int i = 1; i < set->accesses; i++)
    if (set->access[i].weight < least) least = set->access[i].weight;
  return least;
}

/* A layout to answer with where the budget did not suffice for one. */
static void try_any(Solver *s) {
  PaddingWalk walk = strides_walk(s->set, s->pads, &s->budget);
  for (const Padding *p; s->best.bytes == INT64_MAX && (p = strides_next(&walk));)
    try_total_strides(s, p);
  strides_end(&walk);
}

/* Stages end at these parts of the budget, so that a later one has its share. */
static void solve_all(Solver *s) {
  const int64_t all = s->budget.limit;
  s->budget.limit = all / 2;
  try_all(s, try_free);
  if (s->best.bytes < INT64_MAX) return;
  if (!s->exhausted) s->least = s->floor + least_weight(s->set);
  s->exhausted = false;
  certificate_drop_witnesses(&s->certificate);
  s->budget.limit = all / 4 * 3;
  try_all(s, try_total_strides);
  s->budget.limit = all;
  if (s->xors) try_all(s, try_total_maps);
  if (s->best.bytes == INT64_MAX) try_any(s);
}

/* The finest rows of the family: lanes that share one of them share rows of every other period. */
static int finest_period(const Solver *s) {
  if (s->set->tile->rank > 1 || !(s->pads || s->xors)) return 0;
  const int period = s->pads ? 1 : 2;
  return period < s->set->tile->extent[0] ? period : 0;
}

/* --- the result --- */

static bool count_costs(Solver *s, Solution *out, Chosen *chosen) {
  const size_t n = (size_t)s->set->accesses;
  AccessCost *cost = ARENA_ARRAY(s->arena, AccessCost, n);
  AccessCost *plain = ARENA_ARRAY(s->arena, AccessCost, n);
  AccessCost *ideal = ARENA_ARRAY(s->arena, AccessCost, n);
  const KgenLayout plain_layout = layout_plain(s->set->tile), even = cost_ideal_layout(s->set);
  const int64_t total = cost_count(s->set, &out->layout, cost);
  cost_count(s->set, &plain_layout, plain);
  cost_count(s->set, &even, ideal);
  out->conflict_free = true;
  for (size_t i = 0; i < n; i++) {
    cost[i].ideal = plain[i].ideal = ideal[i].ideal;
    if (cost[i].wavefronts > cost[i].ideal) out->conflict_free = false;
    chosen->wavefronts += cost[i].wavefronts;
    chosen->ideal += cost[i].ideal;
  }
  out->cost = cost;
  out->unswizzled = layout_serves(&plain_layout, s->set) ? plain : NULL;
  return total == s->best.total;
}

/* Where a group cannot reach its ideal under any layout, says which and why. */
static void prove_floor(Solver *s) {
  const Classes *c = plain_classes(s, 0);
  const BankGeometry banks = s->set->banks;
  for (int i = 0; i < c->count && s->set->tile->rank > 1; i++) {
    const Group *g = &c->group[i];
    const int words = s->set->access[g->access].bytes_per_lane * g->lanes / banks.bytes;
    if (g->floor == 1 || g->floor <= (words + banks.count - 1) / banks.count) continue;
    certificate_prove(&s->certificate,
                      &(Proof){.kind = g->piece ? PROOF_SAME_PLACE : PROOF_SAME_ROW,
                               .base = layout_plain(s->set->tile),
                               .total = c->floor,
                               .complete = true,
                               .access = g->access,
                               .warp = g->warp,
                               .group = g->index,
                               .piece = g->piece});
    return;
  }
}

static const Solution *finish(Solver *s) {
  Solution *out = ARENA_NEW(s->arena, Solution);
  Chosen chosen = {.layout = s->best.layout, .total = s->best.total, .floor = s->floor};
  out->layout = s->best.layout;
  if (!layout_admissible(&out->layout, s->set)) die("the solver chose a layout that breaks a rule");
  if (!count_costs(s, out, &chosen)) die("a layout does not cost what it was searched at");
  chosen.conflict_free = out->conflict_free;
  chosen.minimal = out->minimal = !s->exhausted && !s->set->tile->want.pad;
  if (!out->conflict_free) prove_floor(s);
  out->certificate = certificate_finish(&s->certificate, &chosen);
  out->effort = s->budget.spent;
  return out;
}

static void report_pad(Diag *d, const AccessSet *set) {
  const Tile *t = set->tile;
  const Padding p = strides_given(set, *t->want.pad);
  const KgenLayout l = strides_layout(set, &p);
  const int64_t bytes = layout_bytes(&l, t->dtype->bytes);
  int piece = t->want.align;
  for (int i = 0; i < set->accesses; i++)
    if (set->access[i].elements > 1 && set->access[i].bytes_per_lane > piece)
      piece = set->access[i].bytes_per_lane;
  if (bytes > t->want.max_bytes)
    diag_error(d, t->want.loc, "a pad of %d makes the tile %lld bytes, more than %d", *t->want.pad,
               (long long)bytes, t->want.max_bytes);
  else
    diag_error(d, t->want.loc, "a pad of %d breaks the alignment of pieces of %d bytes",
               *t->want.pad, piece);
}

static void report_none(Diag *d, const AccessSet *set) {
  const LayoutRequest *want = &set->tile->want;
  diag_error(d, want->loc,
             "no layout of kind '%s' keeps every vector and %d-byte piece aligned within %d bytes",
             want_name[want->kind], want->align, want->max_bytes);
  if (want->kind == WANT_NONE || want->kind == WANT_XOR)
    diag_hint(d, "rows must be padded to whole vectors: use 'pad' or 'auto'");
}

const Solution *solve_tile(Arena *a, Diag *d, const AccessSet *set) {
  const Want kind = set->tile->want.kind;
  const int *given = set->tile->want.pad;
  Solver s = {.arena = a,
              .set = set,
              .pads = kind == WANT_AUTO || kind == WANT_PAD,
              .xors = !given && (kind == WANT_AUTO || kind == WANT_XOR),
              .best = {.total = INT64_MAX - 1, .bytes = INT64_MAX},
              .budget = {0, set->effort ? set->effort : SOLVE_EFFORT},
              .certificate = certificate_new(a, set)};
  s.floor = s.least = plain_classes(&s, finest_period(&s))->floor;
  const Padding only = strides_given(set, given ? *given : 0);
  if (given || kind == WANT_NONE)
    try_total_strides(&s, &only);
  else
    solve_all(&s);
  if (s.best.bytes == INT64_MAX) {
    (given ? report_pad : report_none)(d, set);
    return NULL;
  }
  return finish(&s);
}
