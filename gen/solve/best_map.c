#include "solve/best_map.h"

#include <string.h>

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

int64_t suspects_total(Suspects *s, const Rows *rows, const int32_t *x, int64_t most,
                       const Group **culprit, Budget *b) {
  const Placement p = {s->classes->set, rows->base, x};
  int64_t total = s->classes->floor;
  *culprit = NULL;
  for (int i = 0; i < s->classes->count && total <= most; i++) {
    const Group *g = &s->classes->group[s->order[i]];
    rows_need(rows, g->row, g->lanes);
    const int over = group_cost(&p, g, g->lanes) - g->floor;
    budget_spend(b, group_steps(g, g->lanes) + (rows->placed ? 0 : g->lanes));
    total += over * g->weight;
    if (over > 0 && (!*culprit || total > most)) *culprit = g;
    if (total > most) accuse(s, i);
  }
  return total;
}

/* --- one question --- */

/* The first `count` suspects as classes of their own; the others cost what they must. */
static Classes first_suspects(Arena *a, const Suspects *s, int count) {
  Classes c = *s->classes;
  c.count = count;
  c.group = ARENA_ARRAY(a, Group, (size_t)count);
  for (int i = 0; i < count; i++) c.group[i] = s->classes->group[s->order[i]];
  return c;
}

static MapSearch ask_first(const MapTask *t, const MapQuery *q, int count) {
  Arena *a = arena_new();
  if (count > t->groups->classes->count) count = t->groups->classes->count;
  if (count > t->groups->classes->count) count = t->groups->classes->count;
  const Classes some = first_suspects(a, t->groups, count);
  const MapSpace space = {&some, t->space->rows, t->space->col_bits};
  const MapSearch r = map_search(&space, q, t->budget);
  arena_free(a);
  return r;
}

/* What a map costs that serves the groups asked. */
static int64_t total_of(const MapTask *t, const Map *m, int64_t most) {
  const Group *culprit;
  budget_spend(t->budget, INT64_C(1) << t->space->rows->row_bits);
  if (!maps_place(t->space, m, t->x)) die("a map that was searched for breaks a row");
  return suspects_total(t->groups, t->space->rows, t->x, most, &culprit, t->budget);
}

static MapSearch ask(const MapTask *t, const MapQuery *q) {
  const Suspects *s = t->groups;
  const int all = s->classes->count, first = s->known < FIRST_ASKED ? s->known : FIRST_ASKED;
  int64_t nodes = 0;
  if (s->classes->floor > q->most) return (MapSearch){.complete = true};
  for (int asked = q->most > s->classes->floor ? all : first;; asked += 1 + asked / 2) {
    MapSearch r = ask_first(t, q, asked);
    r.nodes = nodes += r.nodes;
    if (!r.found) return r;
    r.map.total = total_of(t, &r.map, q->most);
    if (r.map.total <= q->most) return r;
    if (asked >= all) die("a map that serves every group was refused by one");
    if (!budget_left(t->budget)) return (MapSearch){.nodes = nodes};
  }
}

MapSearch best_map_within(const MapTask *t, int64_t most) {
  return ask(t, &(MapQuery){.most = most, .least = most, .bits = ANY_BITS});
}

MapSearch best_map_least(const MapTask *t, int64_t least, int64_t below) {
  return ask(t, &(MapQuery){.most = below - 1, .least = least, .bits = ANY_BITS});
}

/* --- the cheapest map --- */

/* The diagonals that a map can have. A choice of them that does not suffice is extended as long as
 * it does not: every map then needs one of those that are left, and choices without any of them
 * are passed over. */
typedef struct {
  const MapTask *task;
  int64_t total;
  int count;
  int shift[32];
  int needs;
  uint32_t need[64]; /* diagonals of which a map has one */
  int64_t nodes;
  bool complete;
} Diagonals;

static Diagonals list_diagonals(const MapTask *t, int64_t total) {
  Diagonals d = {.task = t, .total = total, .complete = true};
  for (int shift = -30; shift < t->space->rows->row_bits; shift++)
    if (maps_reachable(t->space, shift)) d.shift[d.count++] = shift;
  return d;
}

static MapSearch ask_diagonals(Diagonals *d, uint32_t chosen, int bits) {
  const MapSpace *space = d->task->space;
  unsigned allowed[MAPS_ROW_BITS] = {0};
  for (int i = 0; i < d->count; i++)
    for (int r = 0; chosen >> i & 1 && r < space->rows->row_bits; r++) {
      const int c = r - d->shift[i];
      if (c >= 0 && c < 31) allowed[r] |= space->col_bits & 1u << c;
    }
  const MapSearch r = ask(d->task, &(MapQuery){d->total, d->total, allowed, bits});
  d->nodes += r.nodes;
  return r;
}

static void learn_need(Diagonals *d, uint32_t chosen) {
  if (d->needs == sizeof d->need / sizeof *d->need) return;
  for (int i = 0; i < d->count; i++) {
    const uint32_t more = chosen | UINT32_C(1) << i;
    if (more == chosen) continue;
    const MapSearch r = ask_diagonals(d, more, ANY_BITS);
    if (!r.found && r.complete) chosen = more;
  }
  d->need[d->needs++] = ~chosen & ((UINT32_C(1) << d->count) - 1);
}

static bool may_suffice(const Diagonals *d, uint32_t chosen) {
  for (int i = 0; i < d->needs; i++)
    if (!(d->need[i] & chosen)) return false;
  return true;
}

static int bits_of(const Map *m) {
  int bits = 0;
  for (int r = 0; r < MAPS_ROW_BITS; r++) bits += __builtin_popcount(m->column[r]);
  return bits;
}

/* The fewest mask bits, below *bits, of a map of these diagonals. */
static bool try_diagonals(Diagonals *d, uint32_t chosen, int *bits, Map *best) {
  MapSearch r = ask_diagonals(d, chosen, ANY_BITS);
  bool found = false;
  d->complete = d->complete && r.complete;
  if (!r.found && r.complete) learn_need(d, chosen);
  while (r.found) {
    const int spent = bits_of(&r.map);
    if (spent < *bits) {
      found = true;
      *bits = spent;
      *best = r.map;
    }
    r = ask_diagonals(d, chosen, *bits - 1);
    d->complete = d->complete && r.complete;
  }
  return found;
}

/* The next larger number of as many bits. */
static uint32_t next_choice(uint32_t v) {
  const uint32_t low = v & -v, carried = v + low;
  return carried | ((v ^ carried) >> 2) / low;
}

static bool try_terms(Diagonals *d, int terms, int bits, Map *best) {
  const uint32_t end = UINT32_C(1) << d->count;
  bool found = false;
  for (uint32_t c = (UINT32_C(1) << terms) - 1; c < end && d->complete; c = next_choice(c))
    if (may_suffice(d, c) && try_diagonals(d, c, &bits, best)) found = true;
  return found;
}

MapSearch best_map_cheapest(const MapTask *t, const Price *price) {
  Diagonals d = list_diagonals(t, price->total);
  MapSearch r = {.found = false};
  for (int k = 2; !r.found && k <= price->terms && k <= d.count && k <= KGEN_MAX_TERMS; k++)
    r.found = try_terms(&d, k, k < price->terms ? ANY_BITS : price->bits, &r.map);
  r.nodes = d.nodes;
  r.complete = d.complete;
  return r;
}
