#include "solve/map_search.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Images are values of the column bits that banks see; a set of images has a bit for each. */
enum { WORD = 64, UNLIMITED = INT16_MAX };

/* How a group takes part. Where it may not cost more than a wavefront, pairs of its lanes decide:
 * two lanes forbid images of the difference of their rows under which they meet whatever the one's
 * image is, from the start on; where rows carry, one forbids images of the other's row once its own
 * has its place. What is not decided by pairs is counted. */
typedef struct {
  const Group *group;
  bool by_pairs, carries;
  uint32_t moved; /* by_pairs: lanes that some image moves otherwise than by its own bits */
  uint32_t bits;  /* of all its rows together */
  uint32_t with[MAPS_ROW_BITS]; /* the lanes whose rows have a bit */
  int32_t start[WARP];          /* of each lane's row */
  int32_t *piece;               /* [lane][image], by_pairs: where that brings it */
  uint64_t *images_in;          /* [lane][slot][words], by_pairs: what brings it there */
  uint64_t reach[WARP];         /* by_pairs: the slots that some image brings a lane to */
} Asked;

/* Lanes of a group in each slot. */
typedef struct {
  uint8_t lanes[MOST_SLOTS];
} SlotCounts;

/* What is known once some row bits have their images. */
typedef struct {
  int rules;          /* X(of) is none of the images that are closed */
  uint32_t *of;       /* [rule] bits without an image */
  uint64_t *closed;   /* [rule][words] */
  uint32_t open;      /* row bits without an image */
  uint32_t last;      /* the one that got its image last; 0: none did */
  int *cost;          /* [asked] of the lanes that are placed, or the floor */
  SlotCounts *count;  /* [asked] of them in each slot */
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
  int asked;              /* groups that take part */
  Asked *ask;
  uint32_t needed;     /* row bits of the lanes that rules do not decide */
  int32_t *index;      /* [rows] where a rule may be found */
  unsigned *order;     /* images, those of few bits first */
  uint64_t *diagonals; /* [image] those that it fills, given to row bit 0 */
  uint64_t *set, *met; /* scratch: the sets that are being collected */
  Depth depth[MAPS_ROW_BITS + 2];
  Map map;      /* of the row bits that have their images, 0 elsewhere */
  bool refused; /* a map was found that serves the asked groups, but not all */
  MapSearch result;
} Search;

/* The lanes that got their place last: at the start those that stand where they do under every map.
 */
static uint32_t fresh_lanes(const Depth *d, const Asked *a) {
  uint32_t lanes = d->last ? a->with[__builtin_ctz(d->last)] : first_lanes(a->group->lanes);
  for (uint32_t left = d->open & a->bits; left && lanes; left &= left - 1)
    lanes &= ~a->with[__builtin_ctz(left)];
  return lanes;
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
  for (; v; v &= v - 1) {
    const int bit = __builtin_ctz(v);
    set = (set & even[bit]) << (1 << bit) | (set >> (1 << bit) & even[bit]);
  }
  return set;
}

static bool has_image(const uint64_t *set, unsigned v) { return set[v / WORD] >> v % WORD & 1; }
static void add_image(uint64_t *set, unsigned v) { set[v / WORD] |= UINT64_C(1) << v % WORD; }

static uint64_t *empty_set(const Search *s, uint64_t *set) {
  for (int w = 0; w < s->words; w++) set[w] = 0;
  return set;
}

static int count_images(const Search *s, const uint64_t *set) {
  int n = 0;
  for (int w = 0; w < s->words; w++) n += __builtin_popcountll(set[w]);
  return n;
}

/* The number of the rule for rows; -1: there is none. */
static int find_rule(const Search *s, const Depth *d, uint32_t rows) {
  const int i = s->index[rows];
  return i < d->rules && d->of[i] == rows ? i : -1;
}

/* Rows have none of the images, each XORed by v. False if the rows are none, whose image is 0. */
static bool close_images(Search *s, Depth *d, uint32_t rows, const uint64_t *images, unsigned v) {
  if (rows == 0) return !has_image(images, v);
  int i = find_rule(s, d, rows);
  if (i < 0) {
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
    empty_set(s, s->set);
    for (int v = 0; v < s->images; v++)
      if ((v << s->low) % rows->unit[row]) add_image(s->set, (unsigned)v);
    if (count_images(s, s->set)) close_images(s, d, (uint32_t)row, s->set, 0);
  }
}

/* --- pairs of lanes --- */

static uint64_t *images_in_slot(const Search *s, const Asked *a, int lane, int32_t piece) {
  const int slots = a->group->slots;
  return a->images_in + (lane * slots + (piece & (slots - 1))) * s->words;
}

static void list_images(Search *s, Asked *a) {
  const Group *g = a->group;
  const size_t lanes = (size_t)g->lanes;
  const int32_t seen = g->shared ? -1 : g->slots - 1;
  a->piece = ARENA_ARRAY(s->arena, int32_t, lanes * (size_t)s->images);
  a->images_in = ARENA_ARRAY(s->arena, uint64_t, lanes * (size_t)(g->slots * s->words));
  for (int i = 0; i < g->lanes; i++) {
    const int32_t start = a->start[i];
    const int32_t unmoved = (start + g->lane[i].col) >> g->slot_shift;
    for (int v = 0; v < s->images; v++) {
      const int32_t move = v << s->low, piece = (start + (g->lane[i].col ^ move)) >> g->slot_shift;
      a->piece[i * s->images + v] = piece;
      add_image(images_in_slot(s, a, i, piece), (unsigned)v);
      a->reach[i] |= UINT64_C(1) << (piece & (g->slots - 1));
      if ((piece ^ unmoved ^ move >> g->slot_shift) & seen) a->moved |= UINT32_C(1) << i;
    }
  }
  budget_spend(s->budget, g->lanes * (g->lanes + s->images * 3 + g->slots * s->words / 2));
}

/* Of images that bring a lane into the slot of `piece`, those that do not bring it to that piece.
 */
static uint64_t without_piece(const Search *s, const Asked *a, int lane, int w, int32_t piece) {
  const uint64_t in = images_in_slot(s, a, lane, piece)[w];
  uint64_t apart = in;
  for (uint64_t left = in; left; left &= left - 1)
    if (a->piece[lane * s->images + w * WORD + __builtin_ctzll(left)] == piece)
      apart &= ~(left & -left);
  return apart;
}

/* Adds the images that bring a lane where `piece` is, unless one word then serves both. False if
 * there are none. */
static inline bool add_images_at(const Search *s, const Asked *a, int lane, int32_t piece,
                                 uint64_t *to) {
  const uint64_t *in = images_in_slot(s, a, lane, piece);
  uint64_t any = 0;
  if (!(a->reach[lane] >> (piece & (a->group->slots - 1)) & 1)) return false;
  for (int w = 0; w < s->words; w++) {
    const uint64_t met = a->group->shared ? without_piece(s, a, lane, w, piece) : in[w];
    to[w] |= met;
    any |= met;
  }
  return any != 0;
}

/* Collects the images of the difference of two lanes' rows under which they meet. False if there
 * are none, or if it takes more than the difference to tell: then the group carries. */
static bool meet_by_difference(Search *s, Asked *a, int i, int j) {
  const int tries = (a->moved >> i | a->moved >> j) & 1 ? s->images : 1;
  const bool meet = add_images_at(s, a, j, a->piece[i * s->images], empty_set(s, s->met));
  int v = 1;
  bool equal = true;
  for (; v < tries && equal && (meet || !a->carries); v++) {
    add_images_at(s, a, j, a->piece[i * s->images + v], empty_set(s, s->set));
    for (int w = 0; w < s->words; w++)
      equal &= xor_word(s->set[w ^ v / WORD], (unsigned)v % WORD) == s->met[w];
  }
  budget_spend(s->budget, v * (a->group->shared ? 16 : 10));
  a->carries |= !equal;
  return meet && equal;
}

/* False if two lanes meet under every map. Those that reach no slot in common never do. */
static bool rule_pairs(Search *s, Depth *d, Asked *a) {
  const Lane *lane = a->group->lane;
  uint32_t lanes_at[MOST_SLOTS] = {0};
  for (int i = 0; i < a->group->lanes; i++) {
    uint32_t near = 0;
    for (uint64_t left = a->reach[i]; left; left &= left - 1) {
      near |= lanes_at[__builtin_ctzll(left)];
      lanes_at[__builtin_ctzll(left)] |= UINT32_C(1) << i;
    }
    for (; near; near &= near - 1) {
      const int j = __builtin_ctz(near);
      if (!meet_by_difference(s, a, i, j)) continue;
      if (!close_images(s, d, (uint32_t)(lane[i].row ^ lane[j].row), s->met, 0)) return false;
    }
  }
  return true;
}

/* What lanes hold that got their place last: at most one piece a slot. */
typedef struct {
  uint64_t slots;
  int32_t piece[MOST_SLOTS];
} Held;

/* False if two of the lanes meet. */
static bool hold_fresh(const Search *s, const Asked *a, uint32_t fresh, Held *h) {
  const Group *g = a->group;
  h->slots = 0;
  for (; fresh; fresh &= fresh - 1) {
    const int i = __builtin_ctz(fresh);
    const int32_t piece = a->piece[i * s->images + (int)image_of(s, g->lane[i].row)];
    const int slot = piece & (g->slots - 1);
    if (h->slots >> slot & 1 && !(g->shared && h->piece[slot] == piece)) return false;
    h->slots |= UINT64_C(1) << slot;
    h->piece[slot] = piece;
  }
  return true;
}

/* Closes to lanes without a place what those that got theirs last leave no room for. Those that had
 * theirs before closed it to these. */
static bool close_fresh(Search *s, Depth *d, const Asked *a, uint32_t fresh) {
  const Group *g = a->group;
  Held held;
  int steps = 10 * __builtin_popcount(fresh);
  const bool apart = hold_fresh(s, a, fresh, &held);
  for (int i = 0; i < g->lanes && apart; i++) {
    const uint32_t rest = (uint32_t)g->lane[i].row & d->open;
    uint64_t left = held.slots & a->reach[i];
    if (rest == 0 || left == 0) continue;
    steps += 22 + __builtin_popcountll(left) * (g->shared ? 12 : 5);
    empty_set(s, s->set);
    for (; left; left &= left - 1)
      add_images_at(s, a, i, held.piece[__builtin_ctzll(left)], s->set);
    close_images(s, d, rest, s->set, image_of(s, g->lane[i].row));
  }
  budget_spend(s->budget, steps);
  return apart;
}

/* --- groups that are counted --- */

/* Whether each of its lanes counts where it is, whatever others hold. */
static bool counts_by_slots(const Group *g) { return g->slots && !g->shared; }

/* Counts lanes in their slots; the fullest of all then holds so many, or `most`. */
static int count_in_slots(const Search *s, const Asked *a, uint32_t lanes, SlotCounts *count,
                          int most) {
  const Group *g = a->group;
  int32_t row = -1, image = 0;
  budget_spend(s->budget, 7 * __builtin_popcount(lanes));
  for (; lanes; lanes &= lanes - 1) {
    const int i = __builtin_ctz(lanes);
    if (g->lane[i].row != row) image = maps_image(&s->map, row = g->lane[i].row);
    const int32_t at = a->start[i] + (g->lane[i].col ^ image);
    const int held = ++count->lanes[at >> g->slot_shift & (g->slots - 1)];
    if (held > most) most = held;
  }
  return most;
}

/* Counts the lanes of a group that have their place: those that got it last, or all. */
static void count_placed(Search *s, Depth *d, int n, uint32_t fresh) {
  const Asked *a = &s->ask[n];
  const AccessSet *set = s->space->classes->set;
  const int cost = counts_by_slots(a->group)
                       ? count_in_slots(s, a, fresh, &d->count[n], d->cost[n])
                       : total_of_group(set, a->group, s->space->rows, &s->map, d->open, s->budget);
  if (cost <= d->cost[n]) return;
  d->total += (cost - d->cost[n]) * a->group->weight;
  d->cost[n] = cost;
}

/* False if a group costs too much, or its lanes leave no image to some rows. */
static bool settle_group(Search *s, const Depth *from, Depth *to, int n) {
  const Asked *a = &s->ask[n];
  if (a->by_pairs && !a->carries) return true;
  to->cost[n] = from->cost[n];
  to->count[n] = from->count[n];
  const uint32_t fresh = fresh_lanes(to, a);
  if (fresh == 0) return true;
  if (a->by_pairs) return close_fresh(s, to, a, fresh);
  count_placed(s, to, n, fresh);
  return to->total <= s->most;
}

static bool settle_groups(Search *s, const Depth *from, Depth *to) {
  bool holds = to->total <= s->most;
  int n = 0;
  for (; n < s->asked && holds; n++) holds = settle_group(s, from, to, n);
  budget_spend(s->budget, 5 * n);
  return holds;
}

/* --- the start --- */

/* Which lanes a row bit moves, and where they are without. */
static void list_lanes(const Search *s, Asked *a) {
  for (int i = 0; i < a->group->lanes; i++) {
    const int32_t row = a->group->lane[i].row;
    a->start[i] = rows_start(s->space->rows, row);
    a->bits |= (uint32_t)row;
    for (uint32_t left = (uint32_t)row; left; left &= left - 1)
      a->with[__builtin_ctz(left)] |= UINT32_C(1) << i;
  }
  budget_spend(s->budget, 4 * a->group->lanes);
}

/* A group that may not cost more than it must is not counted where pairs decide. */
static void enter_groups(Search *s) {
  const Classes *c = s->space->classes;
  s->ask = ARENA_ARRAY(s->arena, Asked, (size_t)s->asked);
  s->needed = 0;
  for (int i = 0; i < s->asked; i++) {
    Asked *a = &s->ask[i];
    const Group *g = a->group = &c->group[c->order[i]];
    a->by_pairs = g->floor == 1 && g->slots && g->weight > s->most - c->floor;
    list_lanes(s, a);
    if (a->by_pairs) list_images(s, a);
  }
}

/* There is at most one rule a row. */
static void enter_depth(const Search *s, Depth *d) {
  const size_t rules = (size_t)1 << s->space->rows->row_bits;
  if (d->of) return;
  d->of = ARENA_ARRAY(s->arena, uint32_t, rules);
  d->closed = ARENA_ARRAY(s->arena, uint64_t, rules * (size_t)s->words);
  d->cost = ARENA_ARRAY(s->arena, int, (size_t)s->asked);
  d->count = ARENA_ARRAY(s->arena, SlotCounts, (size_t)s->asked);
}

/* Enters what holds before any row bit has its image. False if no map can be found. */
static bool enter_start(Search *s, Depth *d) {
  enter_depth(s, d);
  d->open = (UINT32_C(1) << s->space->rows->row_bits) - 1;
  d->total = s->space->classes->floor;
  memset(s->index, 0, sizeof *s->index << s->space->rows->row_bits);
  rule_tears(s, d);
  for (int n = 0; n < s->asked; n++) {
    Asked *a = &s->ask[n];
    d->cost[n] = a->group->floor;
    if (a->by_pairs && !rule_pairs(s, d, a)) return false;
    if (a->carries || !a->by_pairs) s->needed |= a->bits;
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
  s->met = ARENA_ARRAY(s->arena, uint64_t, (size_t)s->words);
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
  int left;               /* so many images it has */
  const uint64_t *closed; /* those that it cannot have; NULL: it can have any */
  bool impossible;        /* some rows have none left that the map can afford */
  int bits;               /* mask bits of all maps that go on from here, at least */
  uint32_t needed;        /* row bits that a rule or a lane depends on */
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

/* Takes the bit of a rule, if it has fewer images left. */
static void weigh_rule(const Search *s, const Depth *d, int rule, Choice *c) {
  const uint64_t *closed = d->closed + rule * s->words;
  const int bit = __builtin_ctz(d->of[rule]);
  const bool single = d->of[rule] == UINT32_C(1) << bit;
  int bits = 0;
  const int left =
      single ? count_left(s, d, bit, closed, &bits) : s->images - count_images(s, closed);
  c->needed |= d->of[rule];
  c->bits += bits;
  c->impossible = left == 0;
  if (!single || left >= c->left) return;
  c->left = left;
  c->bit = bit;
}

/* The row bit that has the fewest images left. A rule that closes few of them says little: then the
 * lowest, since rows side by side are what most groups touch; except where terms are few, which
 * leaves few images to any bit. */
static Choice choose_bit(const Search *s, const Depth *d) {
  Choice c = {.bit = -1, .bits = d->bits, .needed = s->needed & d->open};
  c.left = s->terms == UNLIMITED ? s->images * 7 / 8 + 2 : INT_MAX;
  for (int i = 0; i < d->rules && !c.impossible; i++) weigh_rule(s, d, i, &c);
  if (c.bits > s->bits || (c.bits == s->bits && d->diagonals >= s->before)) c.impossible = true;
  if (c.bit < 0 && c.needed) c.bit = __builtin_ctz(c.needed);
  const int rule = c.bit < 0 ? -1 : find_rule(s, d, UINT32_C(1) << c.bit);
  if (rule >= 0) c.closed = d->closed + rule * s->words;
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
  budget_spend(s->budget, 40 + from->rules * (3 + 4 * s->words));
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
  enter_depth(s, next);
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
