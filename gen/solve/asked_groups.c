#include "solve/asked_groups.h"

#include "solve/total.h"

/* --- who is asked --- */

/* Which lanes a row bit moves, and where they are without. */
static void list_lanes(const PartialMap *p, Asked *a) {
  for (int i = 0; i < a->group->lanes; i++) {
    const int32_t row = a->group->lane[i].row;
    a->start[i] = rows_start(p->space->rows, row);
    a->bits |= (uint32_t)row;
    for (uint32_t left = (uint32_t)row; left; left &= left - 1)
      a->with[__builtin_ctz(left)] |= UINT32_C(1) << i;
  }
  budget_spend(p->budget, 4 * a->group->lanes);
}

/* A group that may not cost more than it must is not counted where pairs decide. */
void asked_enter(const PartialMap *p, AskedGroups *groups) {
  const Classes *c = p->space->classes;
  groups->ask = ARENA_ARRAY(p->arena, Asked, (size_t)groups->count);
  groups->needed = 0;
  for (int i = 0; i < groups->count; i++) {
    Asked *a = &groups->ask[i];
    const Group *g = a->group = &c->group[c->order[i]];
    a->by_pairs = g->floor == 1 && g->slots && g->weight > groups->most - c->floor;
    list_lanes(p, a);
    if (a->by_pairs) pairs_enter(p, a);
  }
}

void asked_reserve(const PartialMap *p, const AskedGroups *groups, Costs *c) {
  c->cost = ARENA_ARRAY(p->arena, int, (size_t)groups->count);
  c->count = ARENA_ARRAY(p->arena, SlotCounts, (size_t)groups->count);
}

/* --- what lanes cost that have their place --- */

/* The lanes that got their place last: at the start those that stand where they do under every map.
 */
static uint32_t fresh_lanes(const Rules *r, const Asked *a) {
  uint32_t lanes = r->last ? a->with[__builtin_ctz(r->last)] : first_lanes(a->group->lanes);
  for (uint32_t left = r->open & a->bits; left && lanes; left &= left - 1)
    lanes &= ~a->with[__builtin_ctz(left)];
  return lanes;
}

/* Counts lanes in their slots; the fullest of all then holds so many, or `most`. */
static int count_in_slots(const PartialMap *p, const Asked *a, uint32_t lanes, SlotCounts *count,
                          int most) {
  const Group *g = a->group;
  int32_t row = -1, image = 0;
  budget_spend(p->budget, 7 * __builtin_popcount(lanes));
  for (; lanes; lanes &= lanes - 1) {
    const int i = __builtin_ctz(lanes);
    if (g->lane[i].row != row) image = maps_image(&p->map, row = g->lane[i].row);
    const int32_t at = a->start[i] + (g->lane[i].col ^ image);
    const int held = ++count->lanes[at >> g->slot_shift & (g->slots - 1)];
    if (held > most) most = held;
  }
  return most;
}

/* Counts the lanes of a group that have their place: the fresh ones, where each counts where it is
 * whatever others hold, else all. */
static void count_placed(const PartialMap *p, const Rules *r, const Asked *a, uint32_t fresh, int n,
                         Costs *c) {
  const Group *g = a->group;
  const MapSpace *s = p->space;
  const int cost = g->slots && !g->shared
                       ? count_in_slots(p, a, fresh, &c->count[n], c->cost[n])
                       : total_of_group(s->classes->set, g, s->rows, &p->map, r->open, p->budget);
  if (cost <= c->cost[n]) return;
  c->total += (cost - c->cost[n]) * g->weight;
  c->cost[n] = cost;
}

/* False if the group costs too much, or its lanes leave no image to some rows. */
static bool place_group(const PartialMap *p, const AskedGroups *groups, Rules *r, const Costs *from,
                        Costs *to, int n) {
  const Asked *a = &groups->ask[n];
  if (a->by_pairs && !a->carries) return true;
  to->cost[n] = from->cost[n];
  to->count[n] = from->count[n];
  const uint32_t fresh = fresh_lanes(r, a);
  if (fresh == 0) return true;
  if (a->by_pairs) return pairs_place(p, r, a, fresh);
  count_placed(p, r, a, fresh, n, to);
  return to->total <= groups->most;
}

bool asked_place(const PartialMap *p, const AskedGroups *groups, Rules *r, const Costs *from,
                 Costs *to) {
  to->total = from->total;
  bool holds = to->total <= groups->most;
  int n = 0;
  for (; n < groups->count && holds; n++) holds = place_group(p, groups, r, from, to, n);
  budget_spend(p->budget, 5 * n);
  return holds;
}

bool asked_start(const PartialMap *p, AskedGroups *groups, Rules *r, Costs *c) {
  c->total = p->space->classes->floor;
  for (int n = 0; n < groups->count; n++) {
    Asked *a = &groups->ask[n];
    c->cost[n] = a->group->floor;
    if (a->by_pairs && !pairs_close(p, r, a)) return false;
    if (a->carries || !a->by_pairs) groups->needed |= a->bits;
  }
  return asked_place(p, groups, r, c, c);
}
