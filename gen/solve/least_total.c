#include "solve/least_total.h"

#include <stdlib.h>
#include <string.h>

/* What one row bit's image adds to what is known of a group. */
typedef struct {
  int class;
  int lanes;  /* in rows that have their place then */
  int before; /* index in Search.cost of what was known before */
  int64_t weight;
} Step;

/* A depth-first search that fixes the image of one row bit after the other. Once bits 0 to b are
 * fixed, every lane in a row below 2^(b+1) has its place, and the lanes placed so far bound their
 * group's cost from below. */
typedef struct {
  const MapSpace *space;
  Placement place;
  int32_t *x;
  unsigned allowed[MAPS_ROW_BITS]; /* column bits that a row bit may change */
  bool tears;
  Step *step;                   /* by level, heavy groups first */
  int first[MAPS_ROW_BITS + 1]; /* of a level's steps */
  int *cost;                    /* [class], then [step]: of the lanes placed so far, or the floor */
  int64_t start;                /* what row 0 alone costs, and all floors */
  int64_t most;                 /* totals above it are of no interest */
  int bits_left;                /* mask bits that the map may still spend */
  bool price; /* looking for few bits at most `most` wavefronts, rather than for few wavefronts */
  Budget *budget;
  Map map; /* under way */
  MapSearch result;
} Search;

/* --- bounds --- */

static int lanes_below(const Group *g, int row) {
  int n = 0;
  while (n < g->lanes && g->row[n] < row) n++;
  return n;
}

static int by_weight(const void *pa, const void *pb) {
  const Step *a = pa, *b = pb;
  if (a->weight != b->weight) return a->weight > b->weight ? -1 : 1;
  return a->class - b->class;
}

static void list_steps(Arena *a, Search *s) {
  const Classes *c = s->space->classes;
  const int bits = s->space->rows->row_bits;
  int *last = ARENA_ARRAY(a, int, (size_t)c->count);
  int count = 0;
  s->step = ARENA_ARRAY(a, Step, (size_t)c->count * (size_t)bits);
  for (int i = 0; i < c->count; i++) last[i] = i;
  for (int b = 0; b < bits; b++) {
    s->first[b] = count;
    for (int i = 0; i < c->count; i++) {
      const Group *g = &c->group[i];
      const int lanes = lanes_below(g, 2 << b);
      if (lanes > lanes_below(g, 1 << b)) s->step[count++] = (Step){i, lanes, last[i], g->weight};
    }
    qsort(s->step + s->first[b], (size_t)(count - s->first[b]), sizeof s->step[0], by_weight);
    for (int n = s->first[b]; n < count; n++) last[s->step[n].class] = c->count + n;
  }
  s->first[bits] = count;
  s->cost = ARENA_ARRAY(a, int, (size_t)(c->count + count));
  budget_spend(s->budget, (int64_t)c->count * bits * 16);
}

static int cost_of(Search *s, const Group *g, int lanes, int known) {
  budget_spend(s->budget, group_steps(g, lanes));
  const int cost = group_cost(&s->place, g, lanes);
  return cost > known ? cost : known;
}

static void start_costs(Search *s) {
  const Classes *c = s->space->classes;
  s->start = c->floor;
  for (int i = 0; i < c->count; i++) {
    const Group *g = &c->group[i];
    s->cost[i] = cost_of(s, g, lanes_below(g, 1), g->floor);
    s->start += (s->cost[i] - g->floor) * g->weight;
  }
}

/* `total`, the bound before row bit `level` was given its image, and what that adds. More than
 * `most` as soon as that is passed. */
static int64_t bound_after(Search *s, int level, int64_t total) {
  const Classes *c = s->space->classes;
  for (int n = s->first[level]; n < s->first[level + 1] && total <= s->most; n++) {
    const Step *step = &s->step[n];
    const int known = s->cost[step->before];
    const int cost = cost_of(s, &c->group[step->class], step->lanes, known);
    s->cost[c->count + n] = cost;
    total += (cost - known) * step->weight;
  }
  return total;
}

/* --- the search --- */

/* A row bit that no lane of a group has changes no cost; but where rows keep pieces of different
 * lengths whole, it can be what keeps another bit's image admissible. */
static unsigned used_bits(const MapSpace *space) {
  const Classes *c = space->classes;
  unsigned used = maps_tear(space) ? UINT32_MAX : 0;
  for (int i = 0; i < c->count; i++)
    for (int n = 0; n < c->group[i].lanes; n++) used |= (unsigned)c->group[i].row[n];
  return used;
}

/* Gives row bit `level` the image v: fills X for the rows that this completes. False if it tears a
 * row's pieces. */
static bool place_bit(Search *s, int level, unsigned v) {
  const Rows *rows = s->space->rows;
  const int half = 1 << level;
  s->map.column[level] = v;
  for (int row = 0; row < half; row++) s->x[half + row] = s->x[row] ^ (int32_t)v;
  for (int row = half; s->tears && row < 2 * half; row++)
    if (s->x[row] % rows->unit[row]) return false;
  return true;
}

static void record(Search *s, int64_t total) {
  s->result.found = true;
  s->result.map = s->map;
  s->result.map.total = total;
  s->most = s->price ? s->most : total - 1;
}

/* True if there is nothing left to improve. */
static bool is_done(const Search *s) { return s->result.found && (s->price || s->most < s->start); }

static void search_level(Search *s, int level, int64_t total) {
  if (level == s->space->rows->row_bits) {
    record(s, total);
    return;
  }
  const unsigned allowed = s->allowed[level];
  for (unsigned v = 0;; v = (v - allowed) & allowed) {
    s->result.nodes++;
    if (!budget_spend(s->budget, 10 + (INT64_C(1) << level) / 4)) {
      s->result.complete = false;
      return;
    }
    const int spent = __builtin_popcount(v);
    if (spent <= s->bits_left && place_bit(s, level, v)) {
      const int64_t bound = bound_after(s, level, total);
      s->bits_left -= spent;
      if (bound <= s->most) search_level(s, level + 1, bound);
      s->bits_left += spent;
      if (is_done(s) || !s->result.complete) return;
    }
    if (v == allowed) return;
  }
}

static bool search_run(Search *s) {
  s->result.found = false;
  memset(&s->map, 0, sizeof s->map);
  if (s->start <= s->most) search_level(s, 0, s->start);
  return s->result.found;
}

static Search search_new(Arena *a, const MapSpace *space, Budget *b) {
  Search s = {.space = space, .budget = b, .tears = maps_tear(space)};
  s.x = ARENA_ARRAY(a, int32_t, (size_t)1 << space->rows->row_bits);
  s.place = (Placement){space->classes->set, space->rows->base, s.x};
  s.result.complete = true;
  list_steps(a, &s);
  start_costs(&s);
  return s;
}

MapSearch total_fewest(const MapSpace *space, int64_t below, Budget *b) {
  Arena *a = arena_new();
  Search s = search_new(a, space, b);
  const unsigned used = used_bits(space);
  for (int r = 0; r < space->rows->row_bits; r++)
    s.allowed[r] = used >> r & 1 ? space->col_bits : 0;
  s.most = below - 1;
  s.bits_left = INT16_MAX;
  search_run(&s);
  arena_free(a);
  return s.result;
}

/* --- the cheapest map --- */

/* The diagonals that a map can have, and the choice of some of them. */
typedef struct {
  int count;
  int shift[64];
  int chosen[KGEN_MAX_TERMS];
} Diagonals;

static void allow_chosen(Search *s, const Diagonals *d, int terms, unsigned used) {
  memset(s->allowed, 0, sizeof s->allowed);
  for (int i = 0; i < terms; i++)
    for (int r = 0; r < s->space->rows->row_bits; r++) {
      const int c = r - d->shift[d->chosen[i]];
      if (c >= 0 && c < 31 && used >> r & 1) s->allowed[r] |= s->space->col_bits & 1u << c;
    }
}

/* The next choice of `terms` out of the diagonals, in lexicographic order. */
static bool next_choice(Diagonals *d, int terms) {
  int i = terms - 1;
  while (i >= 0 && d->chosen[i] == d->count - terms + i) i--;
  if (i < 0) return false;
  d->chosen[i]++;
  for (i++; i < terms; i++) d->chosen[i] = d->chosen[i - 1] + 1;
  return true;
}

static int bits_of(const Map *m) {
  int bits = 0;
  for (int r = 0; r < MAPS_ROW_BITS; r++) bits += __builtin_popcount(m->column[r]);
  return bits;
}

/* The fewest bits, below `bits`, over all maps of exactly these many diagonals or fewer. */
static bool search_choices(Search *s, Diagonals *d, int terms, int bits, Map *best) {
  const unsigned used = used_bits(s->space);
  bool found = false;
  for (int i = 0; i < terms; i++) d->chosen[i] = i;
  do {
    allow_chosen(s, d, terms, used);
    for (s->bits_left = bits - 1; search_run(s); s->bits_left = bits - 1) {
      found = true;
      *best = s->result.map;
      bits = bits_of(best);
    }
  } while (s->result.complete && next_choice(d, terms));
  return found;
}

MapSearch total_cheapest(const MapSpace *space, const Price *limit, Budget *b) {
  Arena *a = arena_new();
  Search s = search_new(a, space, b);
  Diagonals d = {0};
  Map best = {.total = 0};
  bool found = false;
  for (int shift = -30; shift < space->rows->row_bits; shift++)
    if (maps_reachable(space, shift)) d.shift[d.count++] = shift;
  s.most = limit->total;
  s.price = true;
  for (int k = 2; !found && k <= limit->terms && k <= d.count && k <= KGEN_MAX_TERMS; k++)
    found = search_choices(&s, &d, k, k < limit->terms ? INT16_MAX : limit->bits, &best);
  arena_free(a);
  s.result.found = found;
  s.result.map = best;
  return s.result;
}
