#include "solve/map_search.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Images are values of the column bits that banks see; a set of images has a bit for each. */
enum { WORD = 64, UNLIMITED = INT16_MAX };

/* How a group takes part. Where it may not cost more than a wavefront, pairs of its lanes decide:
 * two lanes whose rows start alike forbid images of the difference of their rows, from the start
 * on; of others one forbids images of the other's row once its own has its place. What is not
 * decided by pairs is counted. */
typedef struct {
  const Group *group;
  bool by_pairs, by_rows;
  uint32_t bits;       /* of all its rows together */
  int32_t *piece;      /* [lane][image], by_rows: where that brings it */
  uint64_t *images_in; /* [lane][slot][words], by_rows: what brings it there */
} Asked;

/* What is known once some row bits have their images. */
typedef struct {
  int rules;          /* X(of) is none of the images that are closed */
  uint32_t *of;       /* [rule] bits without an image */
  uint64_t *closed;   /* [rule][words] */
  uint32_t open;      /* row bits without an image */
  uint32_t last;      /* the one that got its image last; 0: none did */
  int *cost;          /* [asked] of the lanes that are placed, or the floor */
  int64_t total;      /* no map that goes on from here costs less */
  uint64_t diagonals; /* those that hold a bit of the map: its terms */
  int bits;           /* mask bits of the map */
} Depth;

typedef struct {
  const MapSpace *space;
  Arena *arena;
  Budget *budget;
  int64_t most, least;    /* weighted wavefronts: at most so many; so few are enough */
  int terms, bits;        /* of the map at most, or UNLIMITED */
  uint64_t before;        /* a map of just so many bits must have diagonals of a smaller number */
  int images, words, low; /* image v XORs v << low into columns */
  int asked, by_rows;     /* groups that take part, and those of them whose rows carry */
  Asked *ask;
  uint32_t needed;     /* row bits of the lanes that rules do not decide */
  int32_t *index;      /* [rows] where a rule may be found */
  unsigned *order;     /* images, those of few bits first */
  uint64_t *diagonals; /* [image] those that it fills, given to row bit 0 */
  uint64_t *set;       /* scratch: the set that is being collected */
  Depth depth[MAPS_ROW_BITS + 2];
  Map map;      /* of the row bits that have their images, 0 elsewhere */
  bool refused; /* a map was found that serves the asked groups, but not all */
  MapSearch result;
} Search;

/* Whether a row got its place last, or stands where it does under every map. */
static bool is_fresh(const Depth *d, int32_t row) {
  return !((uint32_t)row & d->open) && ((uint32_t)row & d->last) == d->last;
}

static bool has_fresh(const Depth *d, const Asked *a) {
  const Group *g = a->group;
  bool any = false;
  if ((a->bits & d->last) != d->last) return false;
  for (int i = 0; i < g->lanes; i++) any |= is_fresh(d, g->row[i]);
  return any;
}

/* What the bits of a row that have their images contribute to its own. */
static unsigned image_of(const Search *s, int32_t row) {
  return (unsigned)maps_image(&s->map, row) >> s->low;
}

/* --- sets of images --- */

/* The set with each image XORed by v: bit i becomes bit i ^ v. */
static uint64_t xor_word(uint64_t set, unsigned v) {
  static const uint64_t even[] = {UINT64_C(0x5555555555555555), UINT64_C(0x3333333333333333),
                                  UINT64_C(0x0f0f0f0f0f0f0f0f), UINT64_C(0x00ff00ff00ff00ff),
                                  UINT64_C(0x0000ffff0000ffff), UINT64_C(0x00000000ffffffff)};
  for (int bit = 0; bit < 6; bit++)
    if (v >> bit & 1) set = (set & even[bit]) << (1 << bit) | (set >> (1 << bit) & even[bit]);
  return set;
}

static bool has_image(const uint64_t *set, unsigned v) { return set[v / WORD] >> v % WORD & 1; }
static void add_image(uint64_t *set, unsigned v) { set[v / WORD] |= UINT64_C(1) << v % WORD; }

static uint64_t *empty_set(Search *s) {
  for (int w = 0; w < s->words; w++) s->set[w] = 0;
  return s->set;
}

static int count_images(const Search *s, const uint64_t *set) {
  int n = 0;
  for (int w = 0; w < s->words; w++) n += __builtin_popcountll(set[w]);
  return n;
}

/* Rows have none of the images, each XORed by v. False if the rows are none, whose image is 0. */
static bool close_images(Search *s, Depth *d, uint32_t rows, const uint64_t *images, unsigned v) {
  if (rows == 0) return !has_image(images, v);
  int i = s->index[rows];
  if (i >= d->rules || d->of[i] != rows) {
    i = s->index[rows] = d->rules++;
    d->of[i] = rows;
    for (int w = 0; w < s->words; w++) d->closed[i * s->words + w] = 0;
  }
  for (int w = 0; w < s->words; w++)
    d->closed[i * s->words + (w ^ (int)(v / WORD))] |= xor_word(images[w], v % WORD);
  return true;
}

/* --- what holds from the start --- */

/* Rows that keep longer pieces whole than others do exclude the images that would split them. */
static void rule_tears(Search *s, Depth *d) {
  const Rows *rows = s->space->rows;
  for (int row = 1; maps_can_tear(s->space) && row < rows->rows; row++) {
    empty_set(s);
    for (int v = 0; v < s->images; v++)
      if ((v << s->low) % rows->unit[row]) add_image(s->set, (unsigned)v);
    if (count_images(s, s->set)) close_images(s, d, (uint32_t)row, s->set, 0);
  }
}

/* The images of their rows' difference for which two lanes meet: in one slot, but not in one word
 * that serves both. `apart` is the XOR of their places without a map. NULL: there are none. */
static const uint64_t *images_that_meet(Search *s, const Group *g, int32_t apart) {
  const int32_t slots = (g->slots - 1) << g->slot_shift, movable = (s->images - 1) << s->low;
  const unsigned held = (unsigned)((slots & movable) >> s->low);
  const unsigned free = (unsigned)(s->images - 1) & ~held, met = (unsigned)(apart >> s->low) & held;
  bool any = false;
  if (apart & slots & ~movable) return NULL;
  empty_set(s);
  for (unsigned rest = 0;; rest = (rest - free) & free) {
    const int32_t moved = apart ^ (int32_t)((met | rest) << s->low);
    if (!g->shared || moved >> g->slot_shift) {
      add_image(s->set, met | rest);
      any = true;
    }
    if (rest == free) return any ? s->set : NULL;
  }
}

/* Whether rows start so that the places of lanes in them differ by an XOR, without a carry: alike
 * modulo the room of a row's columns, as far as banks see it, and at whole pieces. *start: how. */
static bool start_alike(const Search *s, const Group *g, int32_t a, int32_t b, int32_t *start) {
  const int32_t seen = g->slots << g->slot_shift;
  int32_t room = 1;
  while (room < s->space->classes->cols) room *= 2;
  if (!g->shared && seen < room) room = seen;
  *start = a & (room - 1);
  return *start == (b & (room - 1)) && !(*start & ((1 << g->slot_shift) - 1));
}

/* Whether some of its rows do not start alike. */
static bool group_carries(const Search *s, const Group *g) {
  const int32_t first = rows_start(s->space->rows, g->row[0]);
  int32_t start;
  for (int i = 0; i < g->lanes; i++)
    if (!start_alike(s, g, first, rows_start(s->space->rows, g->row[i]), &start)) return true;
  return false;
}

/* False if two lanes meet under every map. */
static bool rule_pairs(Search *s, Depth *d, const Group *g) {
  const Rows *rows = s->space->rows;
  budget_spend(s->budget, (int64_t)g->lanes * g->lanes * 4);
  for (int i = 0; i < g->lanes; i++) {
    const int32_t at = rows_start(rows, g->row[i]);
    for (int j = 0; j < i; j++) {
      const int32_t other = rows_start(rows, g->row[j]);
      int32_t start;
      if (!start_alike(s, g, at, other, &start)) continue;
      const int32_t apart = (at - start) ^ (other - start) ^ g->col[i] ^ g->col[j];
      const uint64_t *images = images_that_meet(s, g, apart);
      if (images && !close_images(s, d, (uint32_t)(g->row[i] ^ g->row[j]), images, 0)) return false;
    }
  }
  return true;
}

/* --- pairs of lanes in rows that carry --- */

static uint64_t *images_in_slot(const Search *s, const Asked *a, int lane, int32_t piece) {
  const int slots = a->group->slots;
  return a->images_in + (lane * slots + (piece & (slots - 1))) * s->words;
}

static void list_images(Search *s, Asked *a) {
  const Group *g = a->group;
  const size_t lanes = (size_t)g->lanes;
  a->piece = ARENA_ARRAY(s->arena, int32_t, lanes * (size_t)s->images);
  a->images_in = ARENA_ARRAY(s->arena, uint64_t, lanes * (size_t)(g->slots * s->words));
  for (int i = 0; i < g->lanes; i++)
    for (int v = 0; v < s->images; v++) {
      const int32_t start = rows_start(s->space->rows, g->row[i]);
      const int32_t piece = (start + (g->col[i] ^ v << s->low)) >> g->slot_shift;
      a->piece[i * s->images + v] = piece;
      add_image(images_in_slot(s, a, i, piece), (unsigned)v);
    }
  budget_spend(s->budget, g->lanes * s->images * 2);
}

/* Adds the images that bring a lane where `piece` is, unless one word then serves both. */
static void add_images_at(Search *s, const Asked *a, int lane, int32_t piece) {
  const uint64_t *in = images_in_slot(s, a, lane, piece);
  for (int w = 0; w < s->words; w++) {
    uint64_t met = in[w];
    for (uint64_t left = a->group->shared ? met : 0; left; left &= left - 1)
      if (a->piece[lane * s->images + w * WORD + __builtin_ctzll(left)] == piece)
        met &= ~(left & -left);
    s->set[w] |= met;
  }
}

/* Closes what lanes that got their place last leave no room for. Lanes that had theirs before
 * closed it to these. */
static bool close_fresh(Search *s, Depth *d, const Asked *a) {
  const Group *g = a->group;
  int32_t piece[WARP];
  int lane[WARP], count = 0;
  for (int i = 0; i < g->lanes; i++) {
    if (!is_fresh(d, g->row[i])) continue;
    lane[count] = i;
    piece[count++] = a->piece[i * s->images + (int)image_of(s, g->row[i])];
  }
  budget_spend(s->budget, g->lanes * (2 + count * (g->shared ? 6 : 4)));
  for (int i = 0; i < g->lanes; i++) {
    const uint32_t rest = (uint32_t)g->row[i] & d->open;
    if (rest == 0 && !is_fresh(d, g->row[i])) continue;
    empty_set(s);
    for (int k = 0; k < count; k++)
      if (lane[k] != i) add_images_at(s, a, i, piece[k]);
    if (!close_images(s, d, rest, s->set, image_of(s, g->row[i]))) return false;
  }
  return true;
}

/* --- groups that are counted --- */

/* Counts the lanes of a group that have their place. */
static void count_placed(Search *s, Depth *d, int n) {
  const Group *g = s->ask[n].group;
  const AccessSet *set = s->space->classes->set;
  const int cost = total_of_group(set, g, s->space->rows, &s->map, d->open, s->budget);
  if (cost <= d->cost[n]) return;
  d->total += (cost - d->cost[n]) * g->weight;
  d->cost[n] = cost;
}

/* Only groups with lanes that got their place last have changed. */
static bool settle_groups(Search *s, const Depth *from, Depth *to) {
  budget_spend(s->budget, s->asked);
  for (int n = 0; n < s->asked; n++) {
    const Asked *a = &s->ask[n];
    to->cost[n] = from->cost[n];
    if ((a->by_pairs && !a->by_rows) || !has_fresh(to, a)) continue;
    if (a->by_rows && !close_fresh(s, to, a)) return false;
    if (!a->by_rows) count_placed(s, to, n);
    if (to->total > s->most) return false;
  }
  return to->total <= s->most;
}

/* --- the start --- */

/* Heavy groups first: they refuse the most. */
static int by_weight(const void *pa, const void *pb) {
  const Asked *a = pa, *b = pb;
  if (a->group->weight != b->group->weight) return a->group->weight > b->group->weight ? -1 : 1;
  return (a->group > b->group) - (a->group < b->group);
}

/* A group that may not cost more than it must is not counted where pairs decide. */
static void enter_groups(Search *s) {
  const Classes *c = s->space->classes;
  s->ask = ARENA_ARRAY(s->arena, Asked, (size_t)s->asked);
  s->by_rows = 0;
  s->needed = 0;
  for (int i = 0; i < s->asked; i++) s->ask[i].group = &c->group[c->order[i]];
  qsort(s->ask, (size_t)s->asked, sizeof *s->ask, by_weight);
  for (int i = 0; i < s->asked; i++) {
    Asked *a = &s->ask[i];
    const Group *g = a->group;
    a->by_pairs = g->floor == 1 && g->slots && g->weight > s->most - c->floor;
    a->by_rows = a->by_pairs && group_carries(s, g);
    s->by_rows += a->by_rows;
    for (int lane = 0; lane < g->lanes; lane++) a->bits |= (uint32_t)g->row[lane];
    if (a->by_rows || !a->by_pairs) s->needed |= a->bits;
    if (a->by_rows) list_images(s, a);
  }
}

/* Rules that there can be at the start: one a row, or one a pair of lanes. */
static size_t most_rules(const Search *s) {
  const size_t rows = (size_t)1 << s->space->rows->row_bits;
  size_t pairs = 0;
  for (int i = 0; i < s->asked && pairs < rows; i++)
    if (s->ask[i].by_pairs) pairs += WARP * (WARP + 1) / 2;
  return maps_can_tear(s->space) || pairs > rows ? rows : pairs;
}

static void enter_depth(Search *s, Depth *d, size_t rules) {
  if (d->of) return;
  d->of = ARENA_ARRAY(s->arena, uint32_t, rules);
  d->closed = ARENA_ARRAY(s->arena, uint64_t, rules * (size_t)s->words);
  d->cost = ARENA_ARRAY(s->arena, int, (size_t)s->asked);
}

/* Enters what holds before any row bit has its image. False if no map can be found. */
static bool enter_start(Search *s, Depth *d) {
  enter_depth(s, d, most_rules(s));
  d->open = (UINT32_C(1) << s->space->rows->row_bits) - 1;
  d->total = s->space->classes->floor;
  memset(s->index, 0, sizeof *s->index << s->space->rows->row_bits);
  rule_tears(s, d);
  for (int n = 0; n < s->asked; n++) {
    const Asked *a = &s->ask[n];
    d->cost[n] = a->group->floor;
    if (a->by_pairs && !rule_pairs(s, d, a->group)) return false;
  }
  return d->total <= s->most && settle_groups(s, d, d);
}

static int by_bits(const void *pa, const void *pb) {
  const unsigned a = *(const unsigned *)pa, b = *(const unsigned *)pb;
  const int more = __builtin_popcount(a) - __builtin_popcount(b);
  return more ? more : (a > b) - (a < b);
}

/* A bit of column c that row bit r sets is of diagonal r - c; they are numbered from column 31. */
static void list_images_by_price(Search *s) {
  s->order = ARENA_ARRAY(s->arena, unsigned, (size_t)s->images);
  s->diagonals = ARENA_ARRAY(s->arena, uint64_t, (size_t)s->images);
  for (unsigned v = 0; v < (unsigned)s->images; v++) {
    s->order[v] = v;
    for (unsigned left = v; left; left &= left - 1)
      s->diagonals[v] |= UINT64_C(1) << (31 - s->low - __builtin_ctz(left));
  }
  qsort(s->order, (size_t)s->images, sizeof *s->order, by_bits);
}

static void search_enter(Search *s) {
  const size_t rows = (size_t)1 << s->space->rows->row_bits;
  s->images = 1 << __builtin_popcount(s->space->col_bits);
  s->words = (s->images + WORD - 1) / WORD;
  s->low = __builtin_ctz(s->space->col_bits);
  s->set = ARENA_ARRAY(s->arena, uint64_t, (size_t)s->words);
  s->index = ARENA_ARRAY(s->arena, int32_t, rows);
  memset(s->depth, 0, sizeof s->depth);
  list_images_by_price(s);
  budget_spend(s->budget, (int64_t)rows + s->images * 8);
  enter_groups(s);
}

/* --- the search --- */

/* The row bit that is to have its image next. */
typedef struct {
  int bit;                /* -1: none needs one, the others' image is 0 */
  const uint64_t *closed; /* images that it cannot have; NULL: any */
  bool impossible;        /* some rows have none left that the map can afford */
} Choice;

static bool affords(const Search *s, const Depth *d, int bit, unsigned v) {
  return d->bits + __builtin_popcount(v) <= s->bits &&
         __builtin_popcountll(d->diagonals | s->diagonals[v] << bit) <= s->terms;
}

/* How many images are left to a row bit, and the mask bits of the first. */
static int count_left(const Search *s, const Depth *d, int bit, const uint64_t *closed, int *bits) {
  int left = 0;
  if (s->terms == UNLIMITED) return s->images - count_images(s, closed);
  budget_spend(s->budget, s->images);
  for (int i = 0; i < s->images; i++) {
    const unsigned v = s->order[i];
    if (has_image(closed, v) || !affords(s, d, bit, v)) continue;
    if (left++ == 0) *bits = __builtin_popcount(v);
  }
  return left;
}

/* The row bit that has the fewest images left; where none is ruled, the lowest. */
static Choice choose_bit(const Search *s, const Depth *d) {
  Choice c = {.bit = -1};
  int fewest = INT_MAX, bits = d->bits;
  uint32_t needed = s->needed & d->open;
  for (int i = 0; i < d->rules && !c.impossible; i++) {
    const uint64_t *closed = d->closed + i * s->words;
    const int bit = __builtin_ctz(d->of[i]);
    const bool single = d->of[i] == UINT32_C(1) << bit;
    int least = 0;
    const int left =
        single ? count_left(s, d, bit, closed, &least) : s->images - count_images(s, closed);
    needed |= d->of[i];
    bits += least;
    c.impossible = left == 0;
    if (!single || left >= fewest) continue;
    fewest = left;
    c.bit = bit;
    c.closed = closed;
  }
  if (bits > s->bits || (bits == s->bits && d->diagonals >= s->before)) c.impossible = true;
  if (c.bit < 0 && needed) c.bit = __builtin_ctz(needed);
  return c;
}

/* Gives a row bit the image v. False if that breaks a rule, or costs too much. */
static bool place_bit(Search *s, const Depth *from, Depth *to, int bit, unsigned v) {
  to->bits = from->bits + __builtin_popcount(v);
  to->diagonals = from->diagonals | s->diagonals[v] << bit;
  to->total = from->total;
  to->last = UINT32_C(1) << bit;
  to->open = from->open & ~to->last;
  to->rules = 0;
  s->map.column[bit] = v << s->low;
  budget_spend(s->budget, 40 + from->rules * (4 + 4 * s->words));
  for (int i = 0; i < from->rules; i++) {
    const unsigned moved = from->of[i] >> bit & 1 ? v : 0;
    if (!close_images(s, to, from->of[i] & to->open, from->closed + i * s->words, moved))
      return false;
  }
  return settle_groups(s, from, to);
}

/* All groups that were asked are served: the map of what is placed. If all others are, too, the
 * search goes on for a better one. */
static void record(Search *s, const Depth *d) {
  Classes *c = s->space->classes;
  const Group *culprit;
  Map m = s->map;
  m.total = total_count(c, s->space->rows, &m, s->most, &culprit, s->budget);
  s->refused = m.total > s->most;
  if (s->refused && s->asked == c->count) die("a map that serves every group was refused by one");
  if (s->refused) return;
  s->result.found = true;
  s->result.map = m;
  if (s->terms == UNLIMITED) {
    s->most = m.total - 1;
    return;
  }
  s->bits = d->bits;
  s->before = d->diagonals;
}

static bool is_done(const Search *s) {
  return s->refused || !s->result.complete || (s->result.found && s->most < s->least);
}

static void search_from(Search *s, int depth) {
  const Depth *d = &s->depth[depth];
  Depth *next = &s->depth[depth + 1];
  const Choice c = choose_bit(s, d);
  if (c.impossible) return;
  if (c.bit < 0) {
    record(s, d);
    return;
  }
  enter_depth(s, next, (size_t)(s->depth[0].rules + s->by_rows * WARP));
  for (int i = 0; i < s->images && !is_done(s); i++) {
    const unsigned v = s->order[i];
    if ((c.closed && has_image(c.closed, v)) || !affords(s, d, c.bit, v)) continue;
    s->result.nodes++;
    s->result.complete = budget_left(s->budget);
    if (place_bit(s, d, next, c.bit, v)) search_from(s, depth + 1);
  }
  s->map.column[c.bit] = 0;
}

/* Asks few groups, since a few mostly decide, and more of them whenever a map is found that serves
 * them but not all. Where some may cost more than they must, all are counted. */
static MapSearch search(Search *s) {
  enum { FIRST_ASKED = 4 };
  const Classes *c = s->space->classes;
  const int all = c->count;
  s->result.complete = true;
  if (c->floor > s->most) return s->result;
  s->asked = c->known < FIRST_ASKED ? c->known : FIRST_ASKED;
  if (s->most > c->floor) s->asked = all;
  do {
    s->refused = false;
    s->arena = arena_new();
    search_enter(s);
    if (enter_start(s, &s->depth[0])) search_from(s, 0);
    arena_free(s->arena);
    s->asked += 1 + s->asked / 2;
    if (s->asked > all) s->asked = all;
  } while (s->refused && s->result.complete);
  return s->result;
}

MapSearch map_search_least(const MapSpace *space, int64_t least, int64_t most, Budget *b) {
  Search s = {.space = space,
              .budget = b,
              .most = most,
              .least = least,
              .terms = UNLIMITED,
              .bits = UNLIMITED,
              .before = UINT64_MAX};
  return search(&s);
}

MapSearch map_search_cheapest(const MapSpace *space, const MapPrice *price, Budget *b) {
  MapSearch r = {.complete = true};
  const int most = price->terms < KGEN_MAX_TERMS ? price->terms : KGEN_MAX_TERMS;
  for (int terms = 2; terms <= most && !r.found && r.complete; terms++) {
    const int64_t nodes = r.nodes;
    Search s = {.space = space, .budget = b, .most = price->total, .terms = terms};
    s.before = UINT64_MAX;
    s.bits = terms < price->terms ? UNLIMITED : price->bits;
    r = search(&s);
    r.nodes += nodes;
  }
  return r;
}
