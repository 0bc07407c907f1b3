#include "solve/search.h"

#include <string.h>

#include "solve/memo.h"
#include "solve/orbit.h"
#include "solve/order.h"
#include "solve/steps.h"

/* A depth-first search that fixes the image of one row bit after the other. Once bits 0 to b are
 * fixed, every lane in a row below 2^(b+1) has its place, and the lanes placed so far bound their
 * group's cost from below. */
typedef struct {
  const MapSpace *space;
  unsigned allowed[SWIZZLE_MAX_ROW_BITS]; /* column bits that a row bit may change */
  Steps steps;
  bool used[SWIZZLE_MAX_ROW_BITS]; /* the bit's image matters */
  int64_t most;                    /* totals above it are of no interest */
  int from; /* only groups that no image of a lower level moves are looked at */
  int64_t rest[SWIZZLE_MAX_ROW_BITS + 1]; /* what groups add that no level before that one moves, at
                                             least */
  int bits_left;                          /* mask bits that the map may still spend */
  bool price; /* looking for few bits at most `most` wavefronts, rather than for few wavefronts */
  bool found;
  Map map, best;
  Effort *effort;
} Search;

/* A row bit that no lane of a group has changes no cost; but where rows keep pieces of different
 * lengths whole, it can be what keeps another bit's image admissible. */
static void find_used(Search *s) {
  const Classes *c = s->space->classes;
  for (int b = 0; b < s->space->rows->row_bits; b++) s->used[b] = swizzle_tears(s->space);
  for (int i = 0; i < c->count; i++)
    for (int n = 0; n < c->group[i].lanes; n++)
      for (int b = 0; b < s->space->rows->row_bits; b++) s->used[b] |= c->group[i].row[n] >> b & 1;
}

static void search_prepare(Arena *a, Search *s) {
  s->space->rows->x[0] = 0;
  s->steps = steps_new(a, s->space, s->effort);
  find_used(s);
}

/* Gives row bit `level` the image v: fills X for the rows that this completes. False if it tears a
 * row's pieces. */
static bool place_bit(Search *s, int level, unsigned v) {
  const Rows *rows = s->space->rows;
  int32_t *x = rows->x;
  const int half = 1 << level;
  s->map.column[level] = v;
  for (int row = half; row < 2 * half; row++) {
    x[row] = x[row - half] ^ (int32_t)v;
    if (x[row] % rows->unit[row]) return false;
  }
  return true;
}

static void search_record(Search *s, int64_t total) {
  s->found = true;
  s->map.total = total;
  s->best = s->map;
  s->most = s->price ? s->most : total - 1;
}

/* True if there is nothing left to improve. */
static bool search_done(const Search *s) {
  return s->found && (s->price || s->most < s->steps.start);
}

/* Counts one more partial map. False if a budget is spent. */
static bool effort_left(Effort *e) {
  if (++e->nodes > e->limit || e->groups > e->group_limit) e->complete = false;
  return e->complete;
}

static void search_level(Search *s, int level, int64_t total) {
  if (level == s->space->rows->row_bits) {
    search_record(s, total);
    return;
  }
  const unsigned allowed = s->used[level] ? s->allowed[level] : 0;
  for (unsigned v = 0;; v = (v - allowed) & allowed) {
    if (!effort_left(s->effort)) return;
    const int spent = __builtin_popcount(v);
    if (spent <= s->bits_left && place_bit(s, level, v)) {
      const int64_t bound = steps_bound(&s->steps, level, s->from, total, s->most);
      s->bits_left -= spent;
      if (bound + s->rest[level + 1] <= s->most) search_level(s, level + 1, bound);
      if (search_done(s)) return;
      s->bits_left += spent;
    }
    if (v == allowed) return;
  }
}

static bool search_run(Search *s) {
  s->found = false;
  memset(&s->map, 0, sizeof s->map);
  memset(s->space->rows->x, 0, sizeof(int32_t) << s->from);
  if (s->steps.start + s->rest[s->from] <= s->most) search_level(s, s->from, s->steps.start);
  return s->found;
}

/* The least that groups add which only the highest levels move, then those of a level more, and so
 * on: each such search is bounded by the ones before, and bounds the whole [Russian doll search].
 */
static void bound_rest(Search *s) {
  enum { SHARE = 8 }; /* of the effort left, for each */
  Effort *e = s->effort;
  const int64_t limit = e->limit;
  for (int level = s->space->rows->row_bits - 1; level > 0; level--) {
    Search part = *s;
    part.from = level;
    part.price = false;
    part.bits_left = INT16_MAX;
    for (int b = 0; b < s->space->rows->row_bits; b++) part.allowed[b] = s->space->col_bits;
    e->limit = e->nodes + (limit - e->nodes) / SHARE;
    const bool found = search_run(&part);
    if (e->complete) s->rest[level] = (found ? part.best.total : s->most + 1) - s->steps.start;
    s->rest[level - 1] = s->rest[level];
    e->complete = e->groups <= e->group_limit;
  }
  e->limit = limit;
}

static bool find_fewest(const MapSpace *space, int64_t below, Effort *e, Map *best) {
  Search s = {.space = space, .most = below - 1, .bits_left = INT16_MAX, .effort = e};
  Arena *scratch = arena_new(); /* a tile is searched at hundreds of strides */
  for (int b = 0; b < space->rows->row_bits; b++) s.allowed[b] = space->col_bits;
  search_prepare(scratch, &s);
  if (space->deep) bound_rest(&s);
  const bool found = search_run(&s);
  arena_free(scratch);
  if (found) *best = s.best;
  return found;
}

/* The diagonals that a map can have, and the choice of some of them. */
typedef struct {
  int count;
  int shift[64];
  int chosen[KGEN_MAX_TERMS];
} Diagonals;

static void allow_chosen(Search *s, const Diagonals *d, int terms) {
  memset(s->allowed, 0, sizeof s->allowed);
  for (int i = 0; i < terms; i++)
    for (int r = 0; r < s->space->rows->row_bits; r++) {
      const int c = r - d->shift[d->chosen[i]];
      if (c >= 0 && c < 31) s->allowed[r] |= s->space->col_bits & 1u << c;
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

/* The fewest bits over all maps of exactly these many diagonals or fewer. */
static bool search_choices(Search *s, Diagonals *d, int terms, int bits, Map *best) {
  bool found = false;
  for (int i = 0; i < terms; i++) d->chosen[i] = i;
  do {
    allow_chosen(s, d, terms);
    for (s->bits_left = bits - 1; search_run(s); s->bits_left = bits - 1) {
      found = true;
      *best = s->best;
      bits = 0;
      for (int r = 0; r < s->space->rows->row_bits; r++)
        bits += __builtin_popcount(best->column[r]);
    }
  } while (s->effort->complete && next_choice(d, terms));
  return found;
}

static bool find_cheapest(const MapSpace *space, const Price *limit, Effort *e, Map *best) {
  Search s = {.space = space, .most = limit->total, .price = true, .effort = e};
  Arena *scratch = arena_new();
  bool found = false;
  const int terms = limit->terms;
  Diagonals d = {0};
  for (int shift = -30; shift < space->rows->row_bits; shift++)
    if (swizzle_reachable(space, shift)) d.shift[d.count++] = shift;
  search_prepare(scratch, &s);
  if (space->deep) bound_rest(&s);
  for (int k = 2; !found && k <= terms && k <= d.count && k <= KGEN_MAX_TERMS; k++)
    found = search_choices(&s, &d, k, k < terms ? INT16_MAX : limit->bits, best);
  arena_free(scratch);
  return found;
}

/* Most searches end within a little effort; the others are begun anew where that pays for the
 * stronger bounds. Lifts the first search's limits and returns true if it was stopped by them. */
static bool is_worth_more(Effort *e, const Effort *before) {
  e->limit = before->limit;
  e->group_limit = before->group_limit;
  if (e->complete || e->nodes >= e->limit || e->groups >= e->group_limit) return false;
  e->complete = true;
  return true;
}

static int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }

static Effort limit_first(Effort *e) {
  const Effort before = *e;
  e->limit = lesser(e->limit, e->nodes + e->first_nodes);
  e->group_limit = lesser(e->group_limit, e->groups + e->first_groups);
  return before;
}

static bool find_fewest_deep(const MapSpace *space, int64_t below, Effort *e, Map *best) {
  Arena *scratch = arena_new();
  const MapSpace merged = family_merge(scratch, space, e);
  bool found = false;
  if (!memo_refuses(e->memo, &merged, below)) {
    RowBasis basis;
    const MapSpace ordered = order_rows(scratch, &merged, &basis);
    Map map;
    found = find_fewest(&ordered, below, e, &map);
    if (found) *best = order_undo(&map, &basis);
    if (e->complete) memo_add(e->memo, &merged, found ? map.total : below);
  }
  arena_free(scratch);
  return found;
}

bool search_fewest(const MapSpace *space, int64_t below, Effort *e, Map *best) {
  if (e->memo->count > 0) return find_fewest_deep(space, below, e, best);
  const Effort before = limit_first(e);
  const bool found = find_fewest(space, below, e, best);
  if (!is_worth_more(e, &before)) return found;
  return find_fewest_deep(space, found ? best->total : below, e, best) || found;
}

bool search_cheapest(const MapSpace *space, const Price *price, Effort *e, Map *best) {
  const Effort before = limit_first(e);
  const bool found = find_cheapest(space, price, e, best);
  if (!is_worth_more(e, &before)) return found;
  Arena *scratch = arena_new();
  const MapSpace merged = family_merge(scratch, space, e);
  const bool found_deep = find_cheapest(&merged, price, e, best);
  arena_free(scratch);
  return found_deep || found;
}
