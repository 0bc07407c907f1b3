#include "solve/asked_groups.h"

#include "solve/total.h"

static uint64_t *images_in(const PartialMap *p, const Asked *a, int lane, int32_t piece) {
  const int slots = a->group->slots;
  return a->images_in + (lane * slots + (piece & (slots - 1))) * p->words;
}

/* Where an image of its row brings a lane. */
static int32_t piece_of(const PartialMap *p, const Asked *a, int lane, unsigned image) {
  const Group *g = a->group;
  return (a->start[lane] + (g->lane[lane].col ^ (int)image << p->low)) >> g->slot_shift;
}

/* --- who is asked --- */

static void list_images(const PartialMap *p, Asked *a) {
  const Group *g = a->group;
  a->images_in = ARENA_ARRAY(p->arena, uint64_t, (size_t)(g->lanes * g->slots * p->words));
  for (int i = 0; i < g->lanes; i++)
    for (unsigned v = 0; v < (unsigned)p->images; v++) {
      const int32_t piece = piece_of(p, a, i, v);
      images_add(images_in(p, a, i, piece), v);
      a->reach[i] |= UINT64_C(1) << (piece & (g->slots - 1));
    }
  budget_spend(p->budget, g->lanes * (p->images * 3 + g->slots * p->words / 2));
}

static void list_lanes(const PartialMap *p, Asked *a) {
  for (int i = 0; i < a->group->lanes; i++) {
    const uint32_t row = (uint32_t)a->group->lane[i].row;
    a->bits |= row;
    a->start[i] = rows_start(p->space->rows, a->group->lane[i].row);
    for (uint32_t left = row; left; left &= left - 1)
      a->with[__builtin_ctz(left)] |= UINT32_C(1) << i;
  }
  budget_spend(p->budget, 4 * a->group->lanes);
}

void asked_enter(const PartialMap *p, AskedGroups *groups) {
  const Classes *c = p->space->classes;
  groups->ask = ARENA_ARRAY(p->arena, Asked, (size_t)groups->count);
  groups->needed = 0;
  for (int i = 0; i < groups->count; i++) {
    Asked *a = &groups->ask[i];
    const Group *g = a->group = &c->group[c->order[i]];
    a->by_pairs = g->floor == 1 && g->slots && g->weight > groups->most - c->floor;
    list_lanes(p, a);
    if (a->by_pairs) list_images(p, a);
  }
}

/* --- pairs of lanes --- */

/* Adds the images that bring a lane where another's piece is, unless one word then serves both.
 * False if there are none. */
static bool add_meetings(const PartialMap *p, const Asked *a, int lane, int32_t piece,
                         uint64_t *to) {
  const uint64_t *in = images_in(p, a, lane, piece);
  uint64_t any = 0;
  for (int w = 0; w < p->words; w++) {
    uint64_t meet = in[w];
    for (uint64_t left = a->group->shared ? meet : 0; left; left &= left - 1) {
      const unsigned v = (unsigned)(w * SET_WORD + __builtin_ctzll(left));
      if (piece_of(p, a, lane, v) == piece) meet &= ~(left & -left);
    }
    to[w] |= meet;
    any |= meet;
  }
  return any;
}

/* Where rows start alike, modulo what a row takes, it depends on the difference of their images
 * alone whether lanes meet. */
static bool start_alike(const PartialMap *p, const Asked *a, int i, int j) {
  const int piece = 1 << a->group->slot_shift;
  int room = piece;
  while (room < p->space->classes->cols) room *= 2;
  return (a->start[i] - a->start[j]) % room == 0 && a->start[i] % piece == 0;
}

/* False if two lanes meet under every map. */
static bool close_differences(const PartialMap *p, Rules *r, Asked *a) {
  const Group *g = a->group;
  budget_spend(p->budget, g->lanes * g->lanes * (g->shared ? 4 : 3));
  for (int i = 0; i < g->lanes; i++) {
    const int32_t piece = piece_of(p, a, i, 0);
    for (int j = 0; j < i; j++) {
      const bool alike = start_alike(p, a, i, j);
      a->carries |= !alike;
      if (!alike) continue;
      const uint32_t rows = (uint32_t)(g->lane[i].row ^ g->lane[j].row);
      if (!add_meetings(p, a, j, piece, images_clear(p, p->set))) continue;
      if (!rules_close(p, r, rows, p->set, 0)) return false;
    }
  }
  return true;
}

/* What fresh lanes hold: at most one piece a slot. */
typedef struct {
  uint64_t slots;
  int32_t piece[MOST_SLOTS];
} Held;

/* False if two of the lanes meet. */
static bool hold_fresh(const PartialMap *p, const Asked *a, uint32_t fresh, Held *h) {
  const Group *g = a->group;
  h->slots = 0;
  for (; fresh; fresh &= fresh - 1) {
    const int i = __builtin_ctz(fresh);
    const int32_t piece = piece_of(p, a, i, rules_image(p, g->lane[i].row));
    const int slot = piece & (g->slots - 1);
    if (h->slots >> slot & 1 && !(g->shared && h->piece[slot] == piece)) return false;
    h->slots |= UINT64_C(1) << slot;
    h->piece[slot] = piece;
  }
  return true;
}

/* Closes to lanes without a place what the fresh ones leave no room for. Those that had their place
 * before closed it to these. False if two of the fresh ones meet. */
static bool close_held(const PartialMap *p, Rules *r, const Asked *a, uint32_t fresh) {
  const Group *g = a->group;
  Held held;
  budget_spend(p->budget, 10 * __builtin_popcount(fresh));
  if (!hold_fresh(p, a, fresh, &held)) return false;
  for (int i = 0; i < g->lanes; i++) {
    const uint32_t rest = (uint32_t)g->lane[i].row & r->open;
    uint64_t left = held.slots & a->reach[i];
    bool any = false;
    if (rest == 0 || left == 0) continue;
    budget_spend(p->budget, 22 + __builtin_popcountll(left) * (g->shared ? 12 : 5));
    images_clear(p, p->set);
    for (; left; left &= left - 1)
      any |= add_meetings(p, a, i, held.piece[__builtin_ctzll(left)], p->set);
    if (any) rules_close(p, r, rest, p->set, rules_image(p, g->lane[i].row));
  }
  return true;
}

/* --- once lanes have their place --- */

/* The lanes that got their place last: at the start those that stand where they do under every map.
 */
static uint32_t fresh_lanes(const Rules *r, const Asked *a) {
  uint32_t lanes = r->last ? a->with[__builtin_ctz(r->last)] : first_lanes(a->group->lanes);
  for (uint32_t left = r->open & a->bits; left && lanes; left &= left - 1)
    lanes &= ~a->with[__builtin_ctz(left)];
  return lanes;
}

/* False if the group costs too much, or its lanes leave no room to others. */
static bool place_group(const PartialMap *p, const AskedGroups *groups, Rules *r, Costs *c, int n) {
  const Asked *a = &groups->ask[n];
  const MapSpace *s = p->space;
  if (a->by_pairs && !a->carries) return true;
  const uint32_t fresh = fresh_lanes(r, a);
  if (fresh == 0) return true;
  if (a->by_pairs) return close_held(p, r, a, fresh);
  const int cost = total_of_group(s->classes->set, a->group, s->rows, &p->map, r->open, p->budget);
  if (cost > c->cost[n]) {
    c->total += (cost - c->cost[n]) * a->group->weight;
    c->cost[n] = cost;
  }
  return c->total <= groups->most;
}

bool asked_place(const PartialMap *p, const AskedGroups *groups, Rules *r, const Costs *from,
                 Costs *to) {
  bool holds = true;
  int n = 0;
  to->total = from->total;
  for (; n < groups->count && holds; n++) {
    to->cost[n] = from->cost[n];
    holds = place_group(p, groups, r, to, n);
  }
  budget_spend(p->budget, 5 * n);
  return holds;
}

bool asked_start(const PartialMap *p, AskedGroups *groups, Rules *r, Costs *c) {
  c->total = p->space->classes->floor;
  for (int n = 0; n < groups->count; n++) {
    Asked *a = &groups->ask[n];
    c->cost[n] = a->group->floor;
    if (a->by_pairs && !close_differences(p, r, a)) return false;
    if (a->carries || !a->by_pairs) groups->needed |= a->bits;
  }
  return asked_place(p, groups, r, c, c);
}
