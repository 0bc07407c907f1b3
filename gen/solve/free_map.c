#include "solve/free_map.h"

#include <string.h>

#include "solve/rows_search.h"

enum { FIRST_ASKED = 4 };

Suspects suspects_new(Arena *a, const Classes *c) {
  Suspects s = {.classes = c, .order = ARENA_ARRAY(a, int, (size_t)c->count)};
  for (int i = 0; i < c->count; i++) s.order[i] = i;
  return s;
}

static void accuse(Suspects *s, int at) {
  const int first = s->order[at];
  memmove(s->order + 1, s->order, (size_t)at * sizeof *s->order);
  s->order[0] = first;
  if (at >= s->known) s->known++;
}

const Group *suspects_refuse(Suspects *s, const Placement *p, Budget *b) {
  for (int i = 0; i < s->classes->count; i++) {
    const Group *g = &s->classes->group[s->order[i]];
    budget_spend(b, group_steps(g, g->lanes));
    if (group_cost(p, g, g->lanes) <= g->floor) continue;
    accuse(s, i);
    return g;
  }
  return NULL;
}

/* The first `count` suspects as classes of their own. */
static Classes first_suspects(Arena *a, const Suspects *s, int count) {
  Classes c = *s->classes;
  c.count = count;
  c.group = ARENA_ARRAY(a, Group, (size_t)count);
  c.floor = 0;
  for (int i = 0; i < count; i++) {
    c.group[i] = s->classes->group[s->order[i]];
    c.floor += c.group[i].floor * c.group[i].weight;
  }
  return c;
}

/* A map that serves the groups asked; at a given price the cheapest. */
static MapSearch search_asked(Arena *a, const MapSpace *s, const Price *price, Budget *b) {
  if (price) return total_cheapest(s, &(Price){s->classes->floor, price->terms, price->bits}, b);
  if (pairs_decide(s)) return pairs_search(a, s, b);
  if (rows_decide(s)) return rows_search(a, s, b);
  return total_fewest(s, s->classes->floor + 1, b);
}

/* Whether a map that serves the groups asked serves all; if not, one more is asked. */
static bool serves_all(Suspects *s, const MapSpace *space, const Map *m, int32_t *x, Budget *b) {
  const Placement p = {space->classes->set, space->rows->base, x};
  budget_spend(b, INT64_C(1) << space->rows->row_bits);
  if (!maps_place(space, m, x)) die("a map that was searched for breaks a row");
  return !suspects_refuse(s, &p, b);
}

static MapSearch search_all(Suspects *s, const MapSpace *space, const Price *price, int32_t *x,
                            Budget *b) {
  MapSearch r = {.complete = true};
  int64_t nodes = 0;
  for (int asked = s->known < FIRST_ASKED ? s->known : FIRST_ASKED;; asked++) {
    Arena *a = arena_new();
    const Classes some = first_suspects(a, s, asked);
    const MapSpace part = {&some, space->rows, space->col_bits};
    r = search_asked(a, &part, price, b);
    nodes += r.nodes;
    arena_free(a);
    if (asked > s->classes->count) die("a map that serves every group was refused by one");
    if (!r.found || serves_all(s, space, &r.map, x, b)) break;
    if (budget_left(b)) continue;
    r.found = r.complete = false;
    break;
  }
  r.nodes = nodes;
  r.map.total = s->classes->floor;
  return r;
}

MapSearch free_map(Suspects *s, const MapSpace *space, int32_t *x, Budget *b) {
  return search_all(s, space, NULL, x, b);
}

MapSearch free_map_cheapest(Suspects *s, const MapSpace *space, const Price *price, int32_t *x,
                            Budget *b) {
  return search_all(s, space, price, x, b);
}
