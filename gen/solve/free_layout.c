#include "solve/free_layout.h"

/* A layout with one group above its floor: no layout that costs the floor. */
static void refuse_free(Solver *s, const KgenLayout *l, const Classes *c, const Group *g) {
  const int64_t total = c->floor > s->floor ? c->floor : c->floor + g->weight;
  solver_refuse(s, l, g, total < s->floor ? s->floor : total);
}

static void try_free_plain(Solver *s, const Strides *at) {
  Suspects *groups = solver_suspects(s, at->layout.period, CLASS_SHIFT);
  const Placement p = solver_placement(s, at);
  const Group *g = solver_highest_floor(s, groups->classes);
  solver_clear_map(at);
  if (!g) suspects_total(groups, &p, groups->classes->floor, &g, &s->budget);
  if (groups->classes->floor < s->floor) s->exhausted = true; /* floors are loose */
  if (g) {
    refuse_free(s, &at->layout, groups->classes, g);
    return;
  }
  Best b = solver_candidate(s, &at->layout);
  b.total = s->floor;
  solver_consider(s, &b);
}

/* The cheapest single term that is free; those before it are refused one by one. */
static bool try_free_terms(Solver *s, const Strides *at, Suspects *groups, const MapSpace *space) {
  const TermList list = maps_single_terms(s->arena, space);
  const Placement p = solver_placement(s, at);
  KgenLayout l = at->layout;
  l.terms = 1;
  for (int i = 0; i < list.count && !solver_is_spent(s); i++) {
    l.term[0] = list.term[i];
    Best b = solver_candidate(s, &l);
    b.total = s->floor;
    if (!solver_is_better(&b, &s->best)) return true;
    const Map m = maps_of_term(space, l.term[0]);
    budget_spend(&s->budget, INT64_C(1) << space->rows->row_bits);
    if (!maps_place(space, &m, at->cut->x)) {
      certificate_rule(&s->certificate, &l, REFUSED_CONTIGUITY);
      continue;
    }
    const Group *g;
    suspects_total(groups, &p, groups->classes->floor, &g, &s->budget);
    if (!g) solver_consider(s, &b);
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
  s->budget.limit = s->effort; /* no later stage needs its share */
  Budget part = budget_part(&s->budget, 2);
  const MapTask task = {groups, space, at->cut->x, &part};
  const MapSearch r = best_map_cheapest(&task, &price);
  budget_spend(&s->budget, part.spent);
  solver_prove(s, at, space, PROOF_NO_TERMS, s->floor, &r);
  if (r.found || !r.complete) solver_consider_map(s, at, r.found ? &r.map : known, space);
}

static void try_free_xors(Solver *s, const Strides *at) {
  Suspects *groups = solver_map_suspects(s, at);
  const MapSpace space = solver_space_at(at, groups);
  const bool tie = s->best.total == s->floor && s->best.bytes == at->bytes;
  if (!solver_has_maps(s, &space) || (tie && s->best.terms == 0)) return;
  MapSearch r = {.complete = true};
  if (groups->classes->floor < s->floor) r.complete = false;
  if (groups->classes->floor == s->floor) {
    Budget part = budget_part(&s->budget, 4);
    const MapTask task = {groups, &space, at->cut->x, &part};
    r = best_map_within(&task, s->floor);
    budget_spend(&s->budget, part.spent);
  }
  if (!r.found)
    solver_prove(s, at, &space, PROOF_NO_FREE, s->floor, &r);
  else if (!try_free_terms(s, at, groups, &space))
    try_free_maps(s, at, groups, &space, &r.map);
}

void free_layout_try(Solver *s, const Padding *p) {
  Strides at;
  if (!solver_enter_strides(s, p, &at)) {
    solver_refuse_strides(s, &at);
    return;
  }
  if (!solver_repeats_plain(&at.layout)) try_free_plain(s, &at);
  try_free_xors(s, &at);
}
