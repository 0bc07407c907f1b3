#include "solve/solver.h"

/* 0 without a period, else its logarithm and 1. */
static int period_index(int period) { return period ? __builtin_ctz((unsigned)period) + 1 : 0; }

static Cut *solver_cut(Solver *s, int period) {
  Cut *c = &s->cut[period_index(period)];
  if (!c->rows.coord) c->rows = rows_new(s->arena, s->set, period);
  return c;
}

Suspects *solver_suspects(Solver *s, int period, ClassKind kind) {
  Cut *cut = solver_cut(s, period);
  if (cut->suspects[kind]) return cut->suspects[kind];
  Budget part = budget_part(&s->stage, 1, 8);
  const Classes *c = group_classes(s->arena, s->set, period, &cut->rows, kind, &part);
  for (int i = 0; i < s->set->accesses; i++) budget_spend(&s->stage, s->set->access[i].warps * 800);
  cut->suspects[kind] = ARENA_NEW(s->arena, Suspects);
  *cut->suspects[kind] = suspects_new(s->arena, c);
  return cut->suspects[kind];
}

const Classes *solver_plain_classes(Solver *s, int period) {
  return solver_suspects(s, period, CLASS_SHIFT)->classes;
}

/* The finest rows of the family: lanes that share one of them share rows of every other period. */
static int finest_period(const Solver *s) {
  if (s->set->tile->rank > 1 || !(s->pads || s->xors)) return 0;
  const int period = s->pads ? 1 : 2;
  return period < s->set->tile->extent[0] ? period : 0;
}

int64_t solver_floor(Solver *s) { return solver_plain_classes(s, finest_period(s))->floor; }

/* --- accepting and refusing --- */

bool solver_is_better(const Best *a, const Best *b) {
  if (a->total != b->total) return a->total < b->total;
  if (a->bytes != b->bytes) return a->bytes < b->bytes;
  if (a->terms != b->terms) return a->terms < b->terms;
  return a->bits < b->bits;
}

int64_t solver_interest(const Solver *s, int64_t bytes, int terms, int bits) {
  const Best equal = {.total = s->best.total, .bytes = bytes, .terms = terms, .bits = bits};
  const int64_t better = s->best.total - (solver_is_better(&equal, &s->best) ? 0 : 1);
  return better < s->most ? better : s->most;
}

void solver_refuse(Solver *s, const KgenLayout *l, const Group *g, int64_t total) {
  certificate_refuse(&s->certificate, l, (Place){g->access, g->warp, g->index, 0}, total);
}

void solver_consider(Solver *s, const Best *b) {
  if (!solver_is_better(b, &s->best)) {
    if (b->culprit) solver_refuse(s, &b->layout, b->culprit, b->total);
    return;
  }
  if (s->best.culprit) solver_refuse(s, &s->best.layout, s->best.culprit, s->best.total);
  s->best = *b;
}

Best solver_candidate(const Solver *s, const KgenLayout *l) {
  return (Best){.layout = *l,
                .bytes = layout_bytes(l, s->set->tile->dtype->bytes),
                .terms = l->terms,
                .bits = layout_mask_bits(l)};
}

const Group *solver_highest_floor(const Solver *s, const Classes *c) {
  const Group *highest = &c->group[0];
  for (int i = 1; i < c->count; i++)
    if (c->group[i].floor > highest->floor) highest = &c->group[i];
  return c->floor > s->floor ? highest : NULL;
}

bool solver_is_spent(Solver *s) {
  if (budget_left(&s->stage)) return false;
  s->exhausted = true;
  return true;
}

void solver_prove(Solver *s, const Strides *at, ProofKind kind, int64_t total, const MapSearch *r) {
  if (!r->complete) s->exhausted = true;
  certificate_prove(&s->certificate, &(Proof){.kind = kind,
                                              .base = at->layout,
                                              .row_bits = at->space.rows->row_bits,
                                              .col_bits = at->space.col_bits,
                                              .total = total,
                                              .nodes = r->nodes,
                                              .complete = r->complete});
}

/* --- one set of strides --- */

bool solver_enter_strides(Solver *s, const KgenLayout *l, Strides *at) {
  at->layout = *l;
  at->bytes = layout_bytes(&at->layout, s->set->tile->dtype->bytes);
  at->cut = solver_cut(s, at->layout.period);
  at->verdict = rows_enter(&at->cut->rows, &at->layout);
  budget_spend(&s->stage, rows_are_equal(&at->cut->rows) ? 100 : 100 + at->cut->rows.rows);
  return at->verdict == ROWS_HOLD && at->bytes <= s->set->tile->want.max_bytes;
}

void solver_multiples(Solver *s, int multiple[KGEN_MAX_RANK - 1]) {
  for (int d = 0; d < KGEN_MAX_RANK - 1; d++) multiple[d] = 1;
  if (s->set->tile->rank > 2 && s->pads)
    rows_multiples(&solver_cut(s, 0)->rows, s->set->tile, multiple);
}

void solver_walk(Solver *s, StridesVisit *visit, void *visitor) {
  int multiple[KGEN_MAX_RANK - 1];
  solver_multiples(s, multiple);
  strides_walk(s->set, s->pads, multiple, visit, visitor);
}

void solver_refuse_strides(Solver *s, const Strides *at) {
  const bool tears = at->verdict == ROWS_TEAR;
  certificate_rule(&s->certificate, &at->layout, tears ? REFUSED_CONTIGUITY : REFUSED_ALIGNMENT);
}

bool solver_repeats_plain(const KgenLayout *l) { return l->period && l->stride[0] == l->period; }

bool solver_find_maps(Solver *s, Strides *at) {
  Rows *rows = &at->cut->rows;
  const int cols = layout_cols(&at->layout);
  if (!s->xors || rows->row_bits == 0 || cols % 2) return false;
  budget_spend(&s->stage, INT64_C(2) << rows->row_bits);
  const bool linear = maps_are_linear(s->set, rows, cols);
  at->groups = solver_suspects(s, at->layout.period, linear ? CLASS_XOR : CLASS_SAME);
  at->space = maps_space(at->groups->classes, rows);
  return at->space.col_bits != 0;
}

void solver_consider_map(Solver *s, const Strides *at, const Map *m) {
  Best b = {.layout = at->layout, .bytes = at->bytes, .total = m->total};
  if (!maps_terms(&at->space, m, &b.layout)) {
    s->exhausted = true;
    return;
  }
  b.culprit = m->total > s->floor ? s->best.culprit : NULL;
  b.terms = b.layout.terms;
  b.bits = layout_mask_bits(&b.layout);
  solver_consider(s, &b);
}
