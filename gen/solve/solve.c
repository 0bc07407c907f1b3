#include "solve/solve.h"

#include "solve/certificate.h"
#include "solve/memo.h"
#include "solve/search.h"

enum { MAX_PERIODS = 20, CLASS_KINDS = 3 };

/* Budgets of one tile: a few seconds of one core. Groups are counted beside layouts and maps,
 * because a tile may have a hundred thousand kinds of them. */
enum {
  MAX_COSTED = 1 << 19,
  MAX_GROUPS = 1 << 26,
  MAX_NODES = 1 << 23,
  MAX_NODES_PER_STRIDES = 1 << 21,
  FIRST_NODES = 1 << 12,
  FIRST_GROUPS = 1 << 16
};

/* The best layout so far and its price, in the order of importance. */
typedef struct {
  KgenLayout layout;
  int64_t total; /* weighted wavefronts in thousandths */
  int64_t bytes;
  int terms, bits;
  const Group *culprit; /* a group above its floor, NULL if there is none */
} Best;

typedef struct {
  Arena *arena;
  const AccessSet *set;
  bool pads, xors;                                  /* what the family holds */
  int64_t floor;                                    /* no layout of the family costs less */
  const Classes *classes[MAX_PERIODS][CLASS_KINDS]; /* by period_index */
  Rows rows[MAX_PERIODS];
  Best best;
  Effort effort;
  int64_t costed; /* layouts whose cost was computed */
  bool exhausted; /* some search stopped at its limit */
  CertificateBuilder certificate;
} Solver;

/* 0 without a period, else its logarithm and 1. */
static int period_index(int period) { return period ? __builtin_ctz((unsigned)period) + 1 : 0; }

static Rows *rows_of(Solver *s, int period) {
  Rows *r = &s->rows[period_index(period)];
  if (!r->base) *r = rows_new(s->arena, s->set, period);
  return r;
}

static const Classes *classes_of(Solver *s, int period, ClassKind kind) {
  const Classes **c = &s->classes[period_index(period)][kind];
  if (!*c) *c = group_classes(s->arena, s->set, period, rows_of(s, period)->unit, kind);
  return *c;
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

/* A layout without a culprit that is not better costs as few wavefronts, only more bytes or a
 * dearer address: that needs no witness. */
static void consider(Solver *s, const Best *b) {
  if (!is_better(b, &s->best)) {
    if (b->culprit) certificate_refuse(&s->certificate, &b->layout, b->culprit, b->total);
    return;
  }
  if (s->best.culprit)
    certificate_refuse(&s->certificate, &s->best.layout, s->best.culprit, s->best.total);
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

/* Costs the placement that space->rows describes, as layout l. */
static void try_placement(Solver *s, const MapSpace *space, const KgenLayout *l) {
  Best b = candidate(s, l);
  int culprit;
  s->costed++;
  b.total = swizzle_cost(space, enough_for(s, b.bytes, b.terms, b.bits), &s->effort, &culprit);
  b.culprit = culprit < 0 ? highest_floor(s, space->classes) : &space->classes->group[culprit];
  consider(s, &b);
}

/* --- XOR at one set of strides --- */

/* Tiles of rank 3 and 4 have up to millions of paddings. Past the budget the claim to be minimal is
 * given up. */
static bool budget_spent(Solver *s) {
  if (s->costed <= MAX_COSTED && s->effort.groups <= s->effort.group_limit) return false;
  s->exhausted = true;
  return true;
}

static void try_single_terms(Solver *s, const MapSpace *space, const KgenLayout *base) {
  const TermList list = swizzle_single_terms(s->arena, space);
  KgenLayout l = *base;
  l.terms = 1;
  for (int i = 0; i < list.count; i++) {
    l.term[0] = list.term[i];
    const Best b = candidate(s, &l);
    if (s->best.total == s->floor && enough_for(s, b.bytes, 1, b.bits) == s->floor) return;
    if (budget_spent(s)) return;
    if (swizzle_try_term(space, &l.term[0]))
      try_placement(s, space, &l);
    else
      certificate_rule(&s->certificate, &l);
  }
}

/* Before each search: what it may spend of the tile's budget. */
static int64_t grant_effort(Solver *s) {
  const int64_t left = MAX_NODES - s->effort.nodes;
  s->effort.limit = s->effort.nodes + (left < MAX_NODES_PER_STRIDES ? left : MAX_NODES_PER_STRIDES);
  s->effort.complete = true;
  return s->effort.nodes;
}

/* After it: what it covered. */
static void prove(Solver *s, const MapSpace *space, const KgenLayout *base, ProofKind kind,
                  int64_t total, int64_t nodes) {
  if (!s->effort.complete) s->exhausted = true;
  certificate_prove(&s->certificate, &(Proof){.kind = kind,
                                              .base = *base,
                                              .row_bits = space->rows->row_bits,
                                              .col_bits = space->col_bits,
                                              .total = total,
                                              .nodes = s->effort.nodes - nodes,
                                              .complete = s->effort.complete});
}

/* Takes over the cheapest map that costs at most `total` and is cheaper than the best. */
static bool search_price(Solver *s, const MapSpace *space, const KgenLayout *base, int64_t total) {
  const int64_t bytes = layout_bytes(base, s->set->tile->dtype->bytes);
  const bool tie = s->best.total == total && s->best.bytes == bytes;
  const int64_t nodes = grant_effort(s);
  Best b = {.layout = *base, .bytes = bytes, .culprit = s->best.culprit};
  Map map;
  const Price price = {total, tie ? s->best.terms : KGEN_MAX_TERMS, tie ? s->best.bits : INT16_MAX};
  const bool found = search_cheapest(space, &price, &s->effort, &map);
  prove(s, space, base, PROOF_NO_TERMS, total, nodes);
  if (!found || !swizzle_terms(space, &map, &b.layout)) return false;
  b.total = map.total; /* below `total` if the search for the fewest wavefronts was stopped */
  b.terms = b.layout.terms;
  b.bits = layout_mask_bits(&b.layout);
  consider(s, &b);
  return true;
}

/* Maps of two terms and more: first whether any has fewer wavefronts, then the cheapest of them. */
static void try_maps(Solver *s, const MapSpace *space, const KgenLayout *base) {
  const int64_t bytes = layout_bytes(base, s->set->tile->dtype->bytes);
  if (s->best.total > space->classes->floor) {
    const int64_t nodes = grant_effort(s), below = s->best.total;
    Map map;
    const bool found = search_fewest(space, below, &s->effort, &map);
    prove(s, space, base, PROOF_NO_XOR, found ? map.total : below, nodes);
    if (found && !search_price(s, space, base, map.total)) s->exhausted = true;
    if (found) return;
  }
  if (s->best.bytes == bytes && s->best.terms >= 2) search_price(s, space, base, s->best.total);
}

static void try_xors(Solver *s, const KgenLayout *base, const Rows *rows) {
  const bool linear = swizzle_linear(s->set, rows, layout_cols(base));
  const Classes *c = classes_of(s, base->period, linear ? CLASS_XOR : CLASS_SAME);
  const MapSpace space = swizzle_space(c, rows, linear);
  if (space.col_bits == 0 || rows->row_bits == 0) return;
  try_single_terms(s, &space, base);
  const bool settled = s->best.total == s->floor && s->best.terms <= 1;
  if (!settled && s->effort.nodes < MAX_NODES) try_maps(s, &space, base);
}

/* --- all strides --- */

static void try_padding(Solver *s, const Padding *p) {
  const KgenLayout l = strides_layout(s->set, p);
  Rows *rows = rows_of(s, l.period);
  bool admissible = rows_may_admit(rows, &l);
  if (admissible) {
    rows_place(rows, &l);
    admissible = rows_admissible(rows, &l, s->set);
  }
  if (!admissible) {
    certificate_rule(&s->certificate, &l);
    return;
  }
  const MapSpace plain = {.classes = classes_of(s, l.period, CLASS_SHIFT), .rows = rows};
  swizzle_try_term(&plain, NULL);
  try_placement(s, &plain, &l);
  const bool settled = s->best.total == s->floor && s->best.terms == 0;
  if (s->xors && !settled) try_xors(s, &l, rows);
}

/* Nothing after padding p can be better: it and all after it take more bytes, and wavefronts are at
 * the floor. */
static bool settled_before(const Solver *s, const Padding *p) {
  return s->best.total == s->floor &&
         (int64_t)p->elements * s->set->tile->dtype->bytes > s->best.bytes;
}

static void try_all(Solver *s) {
  if (s->set->tile->rank > 1) { /* the plain strides alone first: mostly they and an XOR do */
    try_padding(s, &(Padding){0});
    if (settled_before(s, &(Padding){.elements = INT32_MAX})) return;
  }
  const PaddingList list = strides_list(s->arena, s->set, s->pads);
  const KgenLayout first = layout_plain(s->set->tile);
  const int plain = kgen_elements(&first);
  s->exhausted = s->exhausted || !list.complete;
  for (int i = 0; i < list.count; i++) {
    if (settled_before(s, &list.padding[i]) || budget_spent(s)) return;
    const bool tried = s->set->tile->rank > 1 && list.padding[i].elements == plain;
    if (!tried) try_padding(s, &list.padding[i]);
  }
}

static int64_t family_floor(Solver *s) {
  int64_t floor = classes_of(s, 0, CLASS_SHIFT)->floor;
  if (s->set->tile->rank > 1 || !(s->pads || s->xors)) return floor;
  for (int period = 2; period < s->set->tile->extent[0]; period *= 2) {
    const int64_t other = classes_of(s, period, CLASS_SHIFT)->floor;
    if (other < floor) floor = other;
  }
  return floor;
}

/* --- the result --- */

static void count_costs(Solver *s, Solution *out) {
  const size_t n = (size_t)s->set->accesses;
  AccessCost *cost = ARENA_ARRAY(s->arena, AccessCost, n);
  AccessCost *plain = ARENA_ARRAY(s->arena, AccessCost, n);
  AccessCost *ideal = ARENA_ARRAY(s->arena, AccessCost, n);
  const KgenLayout plain_layout = layout_plain(s->set->tile), even = cost_ideal_layout(s->set);
  const int64_t total = cost_count(s->set, &out->layout, cost);
  cost_count(s->set, &plain_layout, plain);
  cost_count(s->set, &even, ideal);
  if (total != s->best.total)
    die("a layout that was searched at %lld costs %lld", (long long)s->best.total,
        (long long)total);
  out->conflict_free = true;
  for (size_t i = 0; i < n; i++) {
    cost[i].ideal = plain[i].ideal = ideal[i].ideal;
    if (cost[i].wavefronts > cost[i].ideal) out->conflict_free = false;
  }
  out->cost = cost;
  out->unswizzled = plain;
}

/* Where a group cannot reach its ideal under any layout, says which and why. */
static void prove_floor(Solver *s) {
  const Classes *c = classes_of(s, 0, CLASS_SHIFT);
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
  out->layout = s->best.layout;
  if (!layout_admissible(&out->layout, s->set)) die("the solver chose a layout that breaks a rule");
  count_costs(s, out);
  out->minimal = !s->exhausted && !s->set->tile->want.pad;
  if (!out->conflict_free) prove_floor(s);
  out->certificate = certificate_finish(&s->certificate, out, s->floor, s->best.total);
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
              .xors = kind == WANT_AUTO || kind == WANT_XOR,
              .best = {.total = INT64_MAX - 1, .bytes = INT64_MAX},
              .effort = {.group_limit = set->effort ? set->effort : MAX_GROUPS,
                         .first_nodes = FIRST_NODES,
                         .first_groups = FIRST_GROUPS},
              .certificate = certificate_new(a, set)};
  s.effort.memo = ARENA_NEW(a, Memo);
  s.effort.memo->arena = a;
  s.floor = family_floor(&s);
  const Padding only = strides_given(set, given ? *given : 0);
  if (given || kind == WANT_NONE)
    try_padding(&s, &only);
  else
    try_all(&s);
  if (s.best.bytes == INT64_MAX) {
    (given ? report_pad : report_none)(d, set);
    return NULL;
  }
  return finish(&s);
}
