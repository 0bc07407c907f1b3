#include "solve/best_map.h"

enum { FIRST_ASKED = 4 };

/* Asks few groups, and more of them whenever a map is found that serves them but not all. */
static MapSearch ask(const MapTask *t, const MapQuery *q) {
  Suspects *s = t->groups;
  const int all = s->classes->count, first = s->known < FIRST_ASKED ? s->known : FIRST_ASKED;
  const Group *culprit;
  int64_t nodes = 0;
  if (s->classes->floor > q->most) return (MapSearch){.complete = true};
  for (int asked = q->most > s->classes->floor ? all : first;; asked += 1 + asked / 2) {
    if (asked > all) asked = all;
    MapSearch r = map_search(t->space, s, asked, q, t->budget);
    r.nodes = nodes += r.nodes;
    if (!r.found) return r;
    r.map.total = suspects_total(s, t->space->rows, &r.map, q->most, &culprit, t->budget);
    if (r.map.total <= q->most) return r;
    if (asked == all) die("a map that serves every group was refused by one");
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
