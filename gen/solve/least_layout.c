#include "solve/least_layout.h"

/* Costs the placement that the cut's rows describe, as layout l. */
static void try_total(Solver *s, const Strides *at, const Classes *c, const KgenLayout *l) {
  const Placement p = solver_placement(s, at);
  Best b = solver_candidate(s, l);
  const int64_t enough = solver_enough_for(s, b.bytes, b.terms, b.bits);
  b.total = c->floor;
  b.culprit = solver_highest_floor(s, c);
  bool over_floor = false;
  for (int i = 0; i < c->count && b.total < enough; i++) {
    const Group *g = &c->group[i];
    const int over = group_cost(&p, g, g->lanes) - g->floor;
    budget_spend(&s->budget, group_steps(g, g->lanes));
    b.total += over * g->weight;
    if (over > 0 && (!over_floor || b.total >= enough)) b.culprit = g;
    over_floor = over_floor || over > 0;
  }
  solver_consider(s, &b);
}

static void try_total_terms(Solver *s, const Strides *at) {
  const Suspects *groups = solver_map_suspects(s, at);
  const MapSpace space = solver_space_at(at, groups);
  if (!solver_has_maps(s, &space)) return;
  const TermList list = maps_single_terms(s->arena, &space);
  KgenLayout l = at->layout;
  l.terms = 1;
  for (int i = 0; i < list.count && !solver_is_spent(s); i++) {
    l.term[0] = list.term[i];
    const Best b = solver_candidate(s, &l);
    if (s->best.total == s->least && solver_enough_for(s, b.bytes, 1, b.bits) == s->least) return;
    const Map m = maps_of_term(&space, l.term[0]);
    budget_spend(&s->budget, INT64_C(1) << space.rows->row_bits);
    if (maps_place(&space, &m, at->cut->x))
      try_total(s, at, groups->classes, &l);
    else
      certificate_rule(&s->certificate, &l, REFUSED_CONTIGUITY);
  }
}

void least_layout_try(Solver *s, const Padding *p) {
  Strides at;
  if (!solver_enter_strides(s, p, &at)) {
    solver_refuse_strides(s, &at);
    return;
  }
  solver_clear_map(&at);
  if (!solver_repeats_plain(&at.layout))
    try_total(s, &at, solver_plain_classes(s, at.layout.period), &at.layout);
  const bool settled = s->best.total == s->least && s->best.terms == 0;
  if (!settled) try_total_terms(s, &at);
}

/* Takes over the cheapest map that costs at most `total` and is cheaper than the best. */
static bool take_cheapest(Solver *s, const Strides *at, Suspects *groups, const MapSpace *space,
                          int64_t total) {
  const bool tie = s->best.total == total && s->best.bytes == at->bytes;
  const Price price = {total, tie ? s->best.terms : KGEN_MAX_TERMS, tie ? s->best.bits : INT16_MAX};
  Budget part = budget_part(&s->budget, 4);
  const MapTask task = {groups, space, at->cut->x, &part};
  const MapSearch r = best_map_cheapest(&task, &price);
  budget_spend(&s->budget, part.spent);
  solver_prove(s, at, space, PROOF_NO_TERMS, total, &r);
  if (r.found) solver_consider_map(s, at, &r.map, space);
  return r.found;
}

void least_layout_try_maps(Solver *s, const Padding *p) {
  Strides at;
  if (!solver_enter_strides(s, p, &at)) return;
  Suspects *groups = solver_map_suspects(s, &at);
  const MapSpace space = solver_space_at(&at, groups);
  if (!solver_has_maps(s, &space)) return;
  const int64_t below = s->best.total + (at.bytes < s->best.bytes);
  if (below > s->least) {
    Budget part = budget_part(&s->budget, 4);
    const MapTask task = {groups, &space, at.cut->x, &part};
    const MapSearch r = best_map_least(&task, s->least, below);
    budget_spend(&s->budget, part.spent);
    solver_prove(s, &at, &space, PROOF_NO_XOR, r.found ? r.map.total : below, &r);
    if (r.found && !take_cheapest(s, &at, groups, &space, r.map.total))
      solver_consider_map(s, &at, &r.map, &space);
    if (r.found) return;
  }
  if (s->best.bytes == at.bytes && s->best.terms >= 2)
    take_cheapest(s, &at, groups, &space, s->best.total);
}
