#include "solve/layouts.h"

/* --- accepting and refusing --- */

/* The most that a layout of these bytes, terms and mask bits may cost to be better than the best.
 */
static int64_t interest(const Solver *s, int64_t bytes, int terms, int bits) {
  const Price equal = {s->best.price.total, bytes, terms, bits};
  return s->best.price.total - (solution_is_cheaper(&equal, &s->best.price) ? 0 : 1);
}

/* A layout without a culprit that is not better costs as few wavefronts, only more bytes or a
 * dearer address: that needs no witness. */
static void consider(Solver *s, const KgenLayout *l, int64_t total, const Group *culprit) {
  const Best b = {*l, solution_price(s->set->tile, l, total), culprit};
  if (!solution_is_cheaper(&b.price, &s->best.price)) {
    if (culprit) certificate_refuse(&s->certificate, l, culprit->at, total);
    return;
  }
  if (s->best.culprit)
    certificate_refuse(&s->certificate, &s->best.layout, s->best.culprit->at, s->best.price.total);
  s->best = b;
}

/* The group that costs most under every layout with these rows; NULL if that is what every layout
 * costs. */
static const Group *highest_floor(const Solver *s, const Classes *c) {
  const Group *highest = &c->group[0];
  for (int i = 1; i < c->count; i++)
    if (c->group[i].floor > highest->floor) highest = &c->group[i];
  return c->floor > s->floor ? highest : NULL;
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

/* Counts the strides under the map m, which are layout l, and accepts or refuses it. */
static void try_layout(Solver *s, const Strides *at, Classes *groups, const KgenLayout *l,
                       const Map *m) {
  const int64_t most = interest(s, at->bytes, l->terms, layout_mask_bits(l));
  const Group *culprit;
  const int64_t total = total_count(groups, at->rows, m, most, &culprit, &s->stage);
  if (!culprit) culprit = highest_floor(s, groups);
  consider(s, l, total, culprit);
}

static void try_plain(Solver *s, const Strides *at) {
  if (solver_repeats_plain(&at->layout)) return;
  Classes *groups = solver_classes(s, at->layout.period, false);
  try_layout(s, at, groups, &at->layout, NULL);
}

/* False if the strides break a rule, which then refuses them. */
static bool enter(Solver *s, const KgenLayout *l, Strides *at) {
  if (solver_enter_strides(s, l, at)) return true;
  const bool tears = at->verdict == ROWS_TEAR;
  certificate_rule(&s->certificate, l, tears ? REFUSED_CONTIGUITY : REFUSED_ALIGNMENT);
  return false;
}

/* All single terms, cheapest first, until none that is left can be better. False if the stage's
 * budget ended, or none was as good as a layout can be. */
static bool try_terms(Solver *s, const Strides *at) {
  const TermList list = maps_single_terms(s->arena, &at->space);
  KgenLayout l = at->layout;
  l.terms = 1;
  for (int i = 0; i < list.count && !solver_is_spent(s); i++) {
    l.term[0] = list.term[i];
    if (interest(s, at->bytes, 1, layout_mask_bits(&l)) < s->least) return true;
    const Map m = maps_of_term(&at->space, l.term[0]);
    if (maps_tears(&at->space, &m))
      certificate_rule(&s->certificate, &l, REFUSED_CONTIGUITY);
    else
      try_layout(s, at, at->space.classes, &l, &m);
  }
  return interest(s, at->bytes, 2, 0) < s->least;
}

/* Offers a map as a layout; one of too many terms cannot be written as one. */
static void take(Solver *s, const Strides *at, const Map *m) {
  KgenLayout l = at->layout;
  if (maps_terms(&at->space, m, &l))
    consider(s, &l, m->total, m->total > s->floor ? s->best.culprit : NULL);
  else
    s->exhausted = true;
}

/* Takes over the cheapest map of that total, if it is cheaper than the best; if the search finds
 * none, the one that is known. Of a free layout nothing else is left to be decided. */
static void take_cheapest(Solver *s, const Strides *at, const Map *known) {
  const Price *best = &s->best.price;
  const int64_t total = known ? known->total : best->total;
  const bool tie = best->total == total && best->bytes == at->bytes;
  const MapPrice price = {total, tie ? best->terms : KGEN_MAX_TERMS + 1, best->bits - 1};
  Budget part = budget_part(&s->budget, 3, 4);
  const MapSearch r = map_search_cheapest(&at->space, &price, &part);
  prove(s, at, PROOF_NO_TERMS, total, &r);
  if (r.found)
    take(s, at, &r.map);
  else if (known)
    take(s, at, known);
}

/* The map of fewest wavefronts, at most `most`, unless these strides repeat the maps of others. */
static MapSearch find_least(Solver *s, const Strides *at, int64_t most, Budget part) {
  if (maps_repeat(&at->space, &at->layout)) return (MapSearch){.complete = true};
  return map_search_least(&at->space, s->least, most, &part);
}

void layouts_try_free(Solver *s, const KgenLayout *l) {
  Strides at;
  if (!enter(s, l, &at)) return;
  try_plain(s, &at);
  if (interest(s, at.bytes, 1, 1) < s->least || !solver_find_maps(s, &at)) return;
  const MapSearch r = find_least(s, &at, s->floor, budget_part(&s->stage, 1, 2));
  if (!r.found)
    prove(s, &at, PROOF_NO_FREE, s->floor, &r);
  else if (!try_terms(s, &at))
    take_cheapest(s, &at, &r.map);
}

void layouts_try_terms(Solver *s, const KgenLayout *l) {
  Strides at;
  if (!enter(s, l, &at)) return;
  try_plain(s, &at);
  if (solver_find_maps(s, &at)) try_terms(s, &at);
}

void layouts_try_maps(Solver *s, const KgenLayout *l) {
  Strides at;
  if (!solver_enter_strides(s, l, &at) || !solver_find_maps(s, &at)) return;
  const int64_t below = s->best.price.total + (at.bytes < s->best.price.bytes);
  MapSearch r = {.complete = true};
  if (below > s->least) {
    r = find_least(s, &at, below - 1, budget_part(&s->stage, 1, 4));
    prove(s, &at, PROOF_NO_XOR, r.found ? r.map.total : below, &r);
  }
  if (r.found)
    take_cheapest(s, &at, &r.map);
  else if (s->best.price.bytes == at.bytes && s->best.price.terms >= 2 &&
           !maps_repeat(&at.space, l))
    take_cheapest(s, &at, NULL);
}
