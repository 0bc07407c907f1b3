#include "solve/layouts.h"

/* Costs the strides under the map x, as layout l. */
static void try_layout(Solver *s, const Strides *at, Suspects *groups, const KgenLayout *l,
                       const Map *m) {
  Best b = solver_candidate(s, l);
  const int64_t most = solver_interest(s, b.bytes, b.terms, b.bits);
  b.total = suspects_total(groups, &at->cut->rows, m, most, &b.culprit, &s->stage);
  if (!b.culprit) b.culprit = solver_highest_floor(s, groups->classes);
  if (b.total > most && b.culprit)
    solver_refuse(s, &b.layout, b.culprit, b.total);
  else
    solver_consider(s, &b);
}

static void try_plain(Solver *s, const Strides *at) {
  if (solver_repeats_plain(&at->layout)) return;
  Suspects *groups = solver_suspects(s, at->layout.period, CLASS_SHIFT);
  try_layout(s, at, groups, &at->layout, NULL);
}

/* All single terms, cheapest first, until none that is left can be better. False if the stage's
 * budget ended, or none was as good as a layout can be. */
static bool try_terms(Solver *s, const Strides *at) {
  const TermList list = maps_single_terms(s->arena, &at->space);
  KgenLayout l = at->layout;
  l.terms = 1;
  for (int i = 0; i < list.count && !solver_is_spent(s); i++) {
    l.term[0] = list.term[i];
    if (solver_interest(s, at->bytes, 1, layout_mask_bits(&l)) < s->least) return true;
    const Map m = maps_of_term(&at->space, l.term[0]);
    if (maps_tears(&at->space, &m))
      certificate_rule(&s->certificate, &l, REFUSED_CONTIGUITY);
    else
      try_layout(s, at, at->groups, &l, &m);
  }
  return solver_interest(s, at->bytes, 2, 0) < s->least;
}

/* Takes over the cheapest map of that total, if it is cheaper than the best; if the search for it
 * ends early, the one that is known. */
static void take_cheapest(Solver *s, const Strides *at, const Map *known) {
  const int64_t total = known ? known->total : s->best.total;
  const bool tie = s->best.total == total && s->best.bytes == at->bytes;
  const MapPrice price = {total, tie ? s->best.terms : KGEN_MAX_TERMS + 1,
                          tie ? s->best.bits - 1 : 0};
  Budget part = budget_part(&s->budget, total == s->floor ? 3 : 2, 4);
  const MapTask task = {at->groups, &at->space, &part};
  const MapSearch r = map_search_cheapest(&task, &price);
  solver_prove(s, at, PROOF_NO_TERMS, total, &r);
  if (r.found)
    solver_consider_map(s, at, &r.map);
  else if (known && !r.complete)
    solver_consider_map(s, at, known);
}

void layouts_try_free(Solver *s, const KgenLayout *l) {
  Strides at;
  if (!solver_enter_strides(s, l, &at)) {
    solver_refuse_strides(s, &at);
    return;
  }
  try_plain(s, &at);
  if (solver_interest(s, at.bytes, 1, 1) < s->least || !solver_find_maps(s, &at)) return;
  Budget part = budget_part(&s->stage, 1, 2);
  const MapTask task = {at.groups, &at.space, &part};
  const MapSearch r = map_search_least(&task, s->floor, s->floor);
  if (!r.found)
    solver_prove(s, &at, PROOF_NO_FREE, s->floor, &r);
  else if (!try_terms(s, &at))
    take_cheapest(s, &at, &r.map);
}

void layouts_try_terms(Solver *s, const KgenLayout *l) {
  Strides at;
  if (!solver_enter_strides(s, l, &at)) {
    solver_refuse_strides(s, &at);
    return;
  }
  try_plain(s, &at);
  if (solver_find_maps(s, &at)) try_terms(s, &at);
}

void layouts_try_maps(Solver *s, const KgenLayout *l) {
  Strides at;
  if (!solver_enter_strides(s, l, &at) || !solver_find_maps(s, &at)) return;
  const int64_t below = s->best.total + (at.bytes < s->best.bytes);
  MapSearch r = {.found = false};
  if (below > s->least) {
    Budget part = budget_part(&s->stage, 1, 4);
    const MapTask task = {at.groups, &at.space, &part};
    r = map_search_least(&task, s->least, below - 1);
    solver_prove(s, &at, PROOF_NO_XOR, r.found ? r.map.total : below, &r);
  }
  if (r.found)
    take_cheapest(s, &at, &r.map);
  else if (s->best.bytes == at.bytes && s->best.terms >= 2)
    take_cheapest(s, &at, NULL);
}
