/* SPDX-License-Identifier: MIT */
#include "solve/map_search.h"

#include "solve/partial_map.h"
#include "solve/total.h"

#include <limits.h>
#include <string.h>

enum { UNLIMITED = INT16_MAX };

typedef struct {
  PartialMap partial;
  int64_t least;       /* weighted wavefronts: so few are enough */
  int terms, bits;     /* of the map at most, or UNLIMITED */
  uint64_t before;     /* a map of just so many bits must have diagonals of a smaller number */
  unsigned *order;     /* images, those of few bits first */
  uint64_t *diagonals; /* [image] those that it fills, given to row bit 0 */
  SearchNode depth[MAPS_ROW_BITS + 2];
  bool refused; /* the map that was found serves the groups that were asked, but not all */
  MapSearch result;
} Search;

/* --- what an image adds to the price --- */

/* A bit of column c that row bit r sets is of diagonal r - c; they are numbered from column 31. */
static void list_images_by_price(Search *s) {
  const unsigned images = (unsigned)s->partial.images;
  unsigned *next = s->order = ARENA_ARRAY(s->partial.arena, unsigned, images);
  s->diagonals = ARENA_ARRAY(s->partial.arena, uint64_t, images);
  for (int bits = 0; next < s->order + images; bits++)
    for (unsigned v = 0; v < images; v++)
      if (__builtin_popcount(v) == bits) *next++ = v;
  for (unsigned v = 1; v < images; v++) {
    const int column = s->partial.low + __builtin_ctz(v);
    s->diagonals[v] = s->diagonals[v & (v - 1)] | UINT64_C(1) << (31 - column);
  }
}

static bool affords(const Search *s, const SearchNode *d, int bit, unsigned v) {
  return d->bits + __builtin_popcount(v) <= s->bits &&
         __builtin_popcountll(d->diagonals | s->diagonals[v] << bit) <= s->terms;
}

/* --- the row bit that is to have its image next --- */

/* In the place of a bit: the map of what is placed serves every row, or some rows have no image
 * left that the map can afford. */
enum { EVERY_ROW_SERVED = -1, NO_IMAGE_LEFT = -2 };

/* How many images are left to rows, if they are one bit those that the map can afford. */
static int count_left(const Search *s, const SearchNode *d, uint32_t rows, const uint64_t *closed) {
  const int images = s->partial.images, bit = __builtin_ctz(rows);
  int left = 0;
  if (s->terms == UNLIMITED || rows != UINT32_C(1) << bit)
    return images - images_count(&s->partial, closed);
  budget_spend(s->partial.budget, images);
  for (unsigned v = 0; v < (unsigned)images; v++)
    left += !images_have(closed, v) && affords(s, d, bit, v);
  return left;
}

/* The row bit that has the fewest images left; without any rule the lowest that a rule or a lane
 * depends on, since rows side by side are what most groups touch. */
static int choose_bit(const Search *s, const SearchNode *d) {
  uint32_t needed = s->partial.needed & d->open;
  int bit = EVERY_ROW_SERVED, least = INT_MAX;
  if (d->bits == s->bits && d->diagonals >= s->before) return NO_IMAGE_LEFT;
  for (int i = 0; i < d->rules; i++) {
    const uint32_t of = d->of[i];
    const int left = count_left(s, d, of, d->closed + i * s->partial.words);
    needed |= of;
    if (left == 0) return NO_IMAGE_LEFT;
    if (of & (of - 1) || left >= least) continue;
    least = left;
    bit = __builtin_ctz(of);
  }
  return bit == EVERY_ROW_SERVED && needed ? __builtin_ctz(needed) : bit;
}

/* --- what may not depend on itself --- */

/* True if a changed bit would depend on itself, by the bits that have their images. Bits of the
 * last coordinate do not change each other: all others start at multiples of what these span, so
 * that this would only rename banks. */
static bool closes_circle(const PartialMap *p, int bit, unsigned v) {
  const Rows *r = p->space->rows;
  unsigned self = 0, reached = v, before = 0;
  for (unsigned u = 1; r->spread && u < (unsigned)p->images; u *= 2)
    if (r->spread[u] == 1 << bit) self = u;
  if (self == 0) return false;
  if (self & r->own && v & r->own) return true;
  while (reached != before) {
    before = reached;
    for (unsigned left = reached; left; left &= left - 1)
      reached |= p->map.column[__builtin_ctz((unsigned)r->spread[left & -left])];
  }
  return reached & self;
}

/* --- the search --- */

/* All groups that were asked are served: the map of what is placed. If all others are, too, the
 * search goes on for a better one. */
static void record(Search *s, const SearchNode *d) {
  const MapSpace *space = s->partial.space;
  const Group *violating_group;
  Map m = s->partial.map;
  m.total = total_count(space->classes, space->rows, &m, s->partial.most, &violating_group,
                        s->partial.budget);
  s->refused = m.total > s->partial.most;
  if (s->refused && s->partial.constraints == space->classes->count)
    die("a map that serves every group was refused by one");
  if (s->refused) return;
  s->result.found = true;
  s->result.map = m;
  if (s->terms == UNLIMITED) {
    s->partial.most = m.total - 1;
    return;
  }
  s->bits = d->bits;
  s->before = d->diagonals;
}

static bool is_done(const Search *s) {
  return s->refused || !s->result.complete || (s->result.found && s->partial.most < s->least);
}

static void search_from(Search *s, int depth) {
  const SearchNode *d = &s->depth[depth];
  SearchNode *next = &s->depth[depth + 1];
  const int bit = choose_bit(s, d);
  if (bit == EVERY_ROW_SERVED) record(s, d);
  if (bit < 0) return;
  for (int i = 0; i < s->partial.images && !is_done(s); i++) {
    const unsigned v = s->order[i];
    if (partial_excludes(&s->partial, d, UINT32_C(1) << bit, v) || !affords(s, d, bit, v)) continue;
    if (closes_circle(&s->partial, bit, v)) continue;
    s->result.nodes++;
    s->result.complete = budget_left(s->partial.budget);
    next->bits = d->bits + __builtin_popcount(v);
    next->diagonals = d->diagonals | s->diagonals[v] << bit;
    if (partial_place(&s->partial, d, next, bit, v)) search_from(s, depth + 1);
  }
  s->partial.map.column[bit] = 0;
}

/* Searches for a map that serves the first groups, whatever the others cost. */
static void search_asked(Search *s) {
  s->refused = false;
  s->partial.arena = arena_new();
  memset(s->depth, 0, sizeof s->depth);
  const bool holds = partial_start(&s->partial, &s->depth[0]);
  list_images_by_price(s);
  if (holds) search_from(s, 0);
  arena_free(s->partial.arena);
}

/* Asks few groups, since a few mostly decide, and more of them whenever a map is found that serves
 * them but not all. Where some may cost more than they must, all are counted. */
static MapSearch search(Search *s) {
  enum { FIRST_CONSTRAINTS = 4 };
  PartialMap *p = &s->partial;
  const Classes *c = p->space->classes;
  s->result.complete = true;
  s->before = UINT64_MAX;
  if (c->floor > p->most) return s->result;
  p->constraints = c->known < FIRST_CONSTRAINTS ? c->known : FIRST_CONSTRAINTS;
  if (p->most > c->floor) p->constraints = c->count;
  do {
    search_asked(s);
    p->constraints += 1 + p->constraints / 2;
    if (p->constraints > c->count) p->constraints = c->count;
  } while (s->refused && s->result.complete);
  return s->result;
}

MapSearch map_search_least(const MapSpace *space, int64_t least, int64_t most, Budget *b) {
  Search s = {.partial = {.space = space, .budget = b, .most = most},
              .least = least,
              .terms = UNLIMITED,
              .bits = UNLIMITED};
  return search(&s);
}

MapSearch map_search_cheapest(const MapSpace *space, int64_t total, int terms, int bits,
                              Budget *b) {
  MapSearch r = {.complete = true};
  const int most = terms < KGEN_MAX_TERMS ? terms : KGEN_MAX_TERMS;
  for (int n = 2; n <= most && !r.found && r.complete; n++) {
    Search s = {.partial = {.space = space, .budget = b, .most = total},
                .terms = n,
                .bits = n < terms ? UNLIMITED : bits,
                .result.nodes = r.nodes};
    r = search(&s);
  }
  return r;
}
