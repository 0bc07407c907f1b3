#include "swizzle.h"

#include <stdlib.h>
#include <string.h>

/* True if every row starts at a whole word, so that no word holds elements of two rows. */
static bool rows_are_words(const Classes *c, const Rows *r) {
  const int bytes = c->set->tile->dtype->bytes;
  for (int row = 0; row < c->rows; row++)
    if ((int64_t)r->base[row] * bytes % c->set->banks.bytes) return false;
  return true;
}

/* Column bits below the width's lowest set bit keep elements in their row; bits inside a piece
 * would tear it. Of these, banks do not see the ones inside a word or beyond the bank period, where
 * rows are whole words. */
static unsigned visible_bits(const Classes *c, const Rows *r) {
  const int bytes = c->set->tile->dtype->bytes;
  const unsigned inside = (unsigned)c->col_limit - 1;
  unsigned bits = inside, smallest = (unsigned)r->unit[0];
  for (int row = 0; row < c->rows; row++)
    if ((unsigned)r->unit[row] < smallest) smallest = (unsigned)r->unit[row];
  bits &= ~(smallest - 1);
  const int count = c->set->banks.count;
  if (!rows_are_words(c, r) || (count & (count - 1))) return bits;
  const int word = c->set->banks.bytes > bytes ? c->set->banks.bytes / bytes : 1;
  const int period = count * c->set->banks.bytes / bytes;
  return bits & ~((unsigned)word - 1) & ((unsigned)period - 1);
}

MapSpace swizzle_space(const Classes *classes, const Rows *rows) {
  MapSpace s = {.classes = classes, .rows = rows};
  s.col_bits = visible_bits(classes, rows);
  return s;
}

/* The mask of diagonal `shift` within a map. */
static unsigned diagonal(const MapSpace *s, const Map *m, int shift) {
  unsigned mask = 0;
  for (int row_bit = 0; row_bit < s->rows->row_bits; row_bit++) {
    const int col_bit = row_bit - shift;
    if (col_bit >= 0 && col_bit < 31) mask |= m->column[row_bit] & 1u << col_bit;
  }
  return mask;
}

bool swizzle_terms(const MapSpace *s, const Map *m, KgenLayout *l) {
  l->terms = 0;
  for (int shift = -30; shift < s->rows->row_bits; shift++) {
    const unsigned mask = diagonal(s, m, shift);
    if (mask == 0) continue;
    if (l->terms == KGEN_MAX_TERMS) return false;
    l->term[l->terms++] = (KgenTerm){shift, (int)mask};
  }
  return true;
}

/* The column bits that a term of that shift can reach: those fed by a row bit of the tile. */
static unsigned reachable(const MapSpace *s, int shift) {
  unsigned bits = 0;
  for (int c = 0; c < 31; c++)
    if (s->col_bits >> c & 1 && c + shift >= 0 && c + shift < s->rows->row_bits) bits |= 1u << c;
  return bits;
}

static int by_price(const void *pa, const void *pb) {
  const KgenTerm *a = pa, *b = pb;
  const int x = __builtin_popcount((unsigned)a->mask), y = __builtin_popcount((unsigned)b->mask);
  if (x != y) return x - y;
  if (abs(a->shift) != abs(b->shift)) return abs(a->shift) - abs(b->shift);
  if (a->shift != b->shift) return b->shift - a->shift;
  return a->mask - b->mask;
}

TermList swizzle_single_terms(Arena *a, const MapSpace *s) {
  int count = 0;
  for (int shift = -30; shift < s->rows->row_bits; shift++)
    count += (1 << __builtin_popcount(reachable(s, shift))) - 1;
  KgenTerm *term = ARENA_ARRAY(a, KgenTerm, (size_t)count + 1);
  int n = 0;
  for (int shift = -30; shift < s->rows->row_bits; shift++) {
    const unsigned bits = reachable(s, shift);
    for (unsigned mask = bits; mask; mask = (mask - 1) & bits)
      term[n++] = (KgenTerm){shift, (int)mask};
  }
  qsort(term, (size_t)n, sizeof term[0], by_price);
  return (TermList){n, term};
}

int64_t swizzle_cost(const MapSpace *s, int64_t enough, Effort *e, int *culprit) {
  const Classes *c = s->classes;
  const Placement p = {c, s->rows->base, s->rows->x};
  int64_t total = c->floor;
  *culprit = -1;
  for (int i = 0; i < c->count && total < enough; i++) {
    const Group *g = &c->group[i];
    e->groups++;
    const int over = group_cost(&p, g, g->lanes) - g->floor;
    if (over > 0 && (*culprit < 0 || total + over * g->weight >= enough)) *culprit = i;
    total += over * g->weight;
  }
  return total;
}

bool swizzle_try_term(const MapSpace *s, const KgenTerm *t) {
  const KgenLayout l = {.terms = t ? 1 : 0, .term = {t ? *t : (KgenTerm){0, 0}}};
  for (int row = 0; row < 1 << s->rows->row_bits; row++) {
    s->rows->x[row] = kgen_swizzle(&l, row);
    if (row < s->classes->rows && s->rows->x[row] % s->rows->unit[row]) return false;
  }
  return true;
}

/* A depth-first search that fixes the image of one row bit after the other. Once bits 0 to b are
 * fixed, every lane in a row below 2^(b+1) has its place, and the lanes placed so far bound their
 * group's cost from below. */
typedef struct {
  const MapSpace *space;
  unsigned allowed[SWIZZLE_MAX_ROW_BITS]; /* column bits that a row bit may change */
  int *placed;                            /* [class][level]: lanes in rows below 1 << level */
  int *cost; /* [level][class]: of the lanes placed so far, at least the floor */
  bool used[SWIZZLE_MAX_ROW_BITS]; /* the bit's image matters */
  int64_t start;                   /* what row 0 alone costs, and all floors */
  int64_t most;                    /* totals above it are of no interest */
  int bits_left;                   /* mask bits that the map may still spend */
  bool price; /* looking for few bits at most `most` wavefronts, rather than for few wavefronts */
  bool found;
  Map map, best;
  Effort *effort;
} Search;

static int *placed_at(const Search *s, int class) {
  return s->placed + class * (s->space->rows->row_bits + 1);
}

/* A row bit that no lane of a group has changes no cost; but where rows keep pieces of different
 * lengths whole, it can be what keeps another bit's image admissible. */
static void find_used(Search *s) {
  const Classes *c = s->space->classes;
  const bool tears = s->space->col_bits & ((unsigned)s->space->rows->max_unit - 1);
  for (int b = 0; b < s->space->rows->row_bits; b++) s->used[b] = tears;
  for (int i = 0; i < c->count; i++)
    for (int n = 0; n < c->group[i].lanes; n++)
      for (int b = 0; b < s->space->rows->row_bits; b++) s->used[b] |= c->group[i].row[n] >> b & 1;
}

static void search_prepare(Arena *a, Search *s) {
  const Classes *c = s->space->classes;
  const int levels = s->space->rows->row_bits + 1;
  const Placement p = {c, s->space->rows->base, s->space->rows->x};
  s->space->rows->x[0] = 0;
  s->start = c->floor;
  s->effort->groups += c->count;
  s->placed = ARENA_ARRAY(a, int, (size_t)c->count *(size_t)levels);
  s->cost = ARENA_ARRAY(a, int, (size_t)c->count *(size_t)levels);
  for (int i = 0; i < c->count; i++) {
    const Group *g = &c->group[i];
    for (int level = 0, n = 0; level < levels; level++) {
      while (n < g->lanes && g->row[n] < 1 << level) n++;
      placed_at(s, i)[level] = n;
    }
    const int first = group_cost(&p, g, placed_at(s, i)[0]); /* lanes of row 0 have their place */
    s->cost[i] = first > g->floor ? first : g->floor;
    s->start += (s->cost[i] - g->floor) * g->weight;
  }
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
    if (row < s->space->classes->rows && x[row] % rows->unit[row]) return false;
  }
  return true;
}

/* The bound on the total after that level, or more than s->most as soon as it is passed. */
static int64_t bound_after(Search *s, int level, int64_t total) {
  const Classes *c = s->space->classes;
  const Placement p = {c, s->space->rows->base, s->space->rows->x};
  const int *before = s->cost + level * c->count;
  int *after = s->cost + (level + 1) * c->count;
  memcpy(after, before, (size_t)c->count * sizeof *after);
  for (int i = 0; i < c->count && total <= s->most; i++) {
    const int *placed = placed_at(s, i);
    if (placed[level + 1] == placed[level]) continue;
    s->effort->groups++;
    const int cost = group_cost(&p, &c->group[i], placed[level + 1]);
    if (cost <= after[i]) continue;
    total += (cost - after[i]) * c->group[i].weight;
    after[i] = cost;
  }
  return total;
}

static void search_record(Search *s, int64_t total) {
  s->found = true;
  s->map.total = total;
  s->best = s->map;
  s->most = s->price ? s->most : total - 1;
}

/* True if there is nothing left to improve. */
static bool search_done(const Search *s) {
  return s->found && (s->price || s->most < s->space->classes->floor);
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
      const int64_t bound = bound_after(s, level, total);
      s->bits_left -= spent;
      if (bound <= s->most) search_level(s, level + 1, bound);
      if (search_done(s)) return;
      s->bits_left += spent;
    }
    if (v == allowed) return;
  }
}

static bool search_run(Search *s) {
  s->found = false;
  memset(&s->map, 0, sizeof s->map);
  if (s->start <= s->most) search_level(s, 0, s->start);
  return s->found;
}

bool swizzle_search_cost(const MapSpace *space, int64_t below, Effort *e, Map *best) {
  Search s = {.space = space, .most = below - 1, .bits_left = INT16_MAX, .effort = e};
  Arena *scratch = arena_new(); /* a tile is searched at hundreds of strides */
  for (int b = 0; b < space->rows->row_bits; b++) s.allowed[b] = space->col_bits;
  search_prepare(scratch, &s);
  const bool found = search_run(&s);
  arena_free(scratch);
  *best = s.best;
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

bool swizzle_search_price(const MapSpace *space, int64_t total, int terms, int bits, Effort *e,
                          Map *best) {
  Search s = {.space = space, .most = total, .price = true, .effort = e};
  Arena *scratch = arena_new();
  bool found = false;
  Diagonals d = {0};
  for (int shift = -30; shift < space->rows->row_bits; shift++)
    if (reachable(space, shift)) d.shift[d.count++] = shift;
  search_prepare(scratch, &s);
  for (int k = 2; !found && k <= terms && k <= d.count && k <= KGEN_MAX_TERMS; k++)
    found = search_choices(&s, &d, k, k < terms ? INT16_MAX : bits, best);
  arena_free(scratch);
  return found;
}
