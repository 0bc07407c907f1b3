#include "solve/map_search.h"

#include <stdlib.h>
#include <string.h>

/* Images are values of the column bits that banks see; a set of images has a bit for each. */
enum { WORD = 64 };

/* How a group takes part. One that may not cost more than a wavefront is a matter of pairs: where
 * rows are aligned, two lanes forbid images of the difference of their rows, and that is all there
 * is to say; where columns carry into rows, lanes forbid images only once the other's row has its
 * place. All other groups are counted. */
typedef enum { BY_RULES, BY_ROWS, BY_COUNT } GroupKind;

typedef struct {
  const Group *group;
  GroupKind kind;
  uint64_t rows;       /* a bit for each, modulo 64 */
  int row[WARP];       /* [lane] an index of Search.row */
  int32_t start[WARP]; /* [lane] of its row */
  int32_t *piece;      /* [lane][image], BY_ROWS: where that brings it */
  uint64_t *images_in; /* [lane][slot][words], BY_ROWS: what brings it there */
} Asked;

/* What is known once some row differences have their images. X(row) = x[row] ^ X(rest[row]): rows
 * of rest 0 have their place. */
typedef struct {
  int rules;        /* X(of) is none of the images that are closed */
  uint32_t *of;     /* [rule] */
  uint64_t *closed; /* [rule][words] */
  uint32_t *rest;   /* [row] */
  unsigned *x;      /* [row], images */
  int *cost;        /* [asked] of the lanes that are placed, or the floor */
  int64_t total;    /* no map that goes on from here costs less */
  int bits;         /* mask bits that are left */
} Depth;

typedef struct {
  const MapSpace *space;
  const MapQuery *query;
  Arena *arena;
  Budget *budget;
  int64_t most;           /* of interest: what the query says, or less than what was found */
  int images, words, low; /* image v XORs v << low into columns */
  int asked, rows;
  Asked *ask;
  uint32_t *row;    /* rows of the lanes that are not decided by rules */
  bool *fresh;      /* [row] whether it got its place last */
  uint64_t freshes; /* a bit for each of these, modulo 64 */
  int32_t *index;   /* [rows] where a rule or a row may be found */
  unsigned *order;  /* images, those of few bits first */
  uint64_t *set;    /* a set under way */
  Depth depth[MAPS_ROW_BITS + 2];
  struct {
    uint32_t rows;
    unsigned image;
  } placed[MAPS_ROW_BITS + 1];
  MapSearch result;
} Search;

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

/* --- what holds for all rows from the start --- */

/* Rows that keep longer pieces whole than others do. */
static void rule_tears(Search *s, Depth *d) {
  const Rows *rows = s->space->rows;
  for (int row = 1; maps_can_tear(s->space) && row < rows->rows; row++) {
    empty_set(s);
    for (int v = 0; v < s->images; v++)
      if ((v << s->low) % rows->unit[row]) add_image(s->set, (unsigned)v);
    if (count_images(s, s->set)) close_images(s, d, (uint32_t)row, s->set, 0);
  }
}

/* Row bits that decide something: of a row with lanes, or where rows keep pieces of different
 * lengths whole. The others' image is 0. */
static uint32_t used_bits(const Search *s) {
  uint32_t used = maps_can_tear(s->space) ? UINT32_MAX : 0;
  for (int i = 0; i < s->asked; i++)
    for (int n = 0; n < s->ask[i].group->lanes; n++) used |= (uint32_t)s->ask[i].group->row[n];
  return used & ((UINT32_C(1) << s->space->rows->row_bits) - 1);
}

static void rule_allowed(Search *s, Depth *d) {
  for (uint32_t left = s->query->allowed ? used_bits(s) : 0; left; left &= left - 1) {
    const unsigned allowed = s->query->allowed[__builtin_ctz(left)] >> s->low;
    empty_set(s);
    for (unsigned v = 0; v < (unsigned)s->images; v++)
      if (v & ~allowed) add_image(s->set, v);
    close_images(s, d, left & -left, s->set, 0);
  }
}

/* --- pairs of lanes in aligned rows --- */

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

static bool rule_pairs(Search *s, Depth *d, const Group *g) {
  const Rows *rows = s->space->rows;
  budget_spend(s->budget, (int64_t)g->lanes * g->lanes * 4);
  for (int i = 0; i < g->lanes; i++) {
    const int32_t at = rows_start(rows, g->row[i]) ^ g->col[i];
    for (int j = 0; j < i; j++) {
      const int32_t apart = at ^ rows_start(rows, g->row[j]) ^ g->col[j];
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
      const int32_t piece = (a->start[i] + (g->col[i] ^ v << s->low)) >> g->slot_shift;
      a->piece[i * s->images + v] = piece;
      add_image(images_in_slot(s, a, i, piece), (unsigned)v);
    }
  budget_spend(s->budget, g->lanes * s->images * 2);
}

/* Closes the images of each row under which two of its lanes meet: that depends on them where rows
 * start within words. */
static bool close_rows(Search *s, Depth *d, const Asked *a) {
  const Group *g = a->group;
  budget_spend(s->budget, g->lanes * s->images);
  for (int i = 1; i < g->lanes; i++)
    for (int j = i; j-- > 0 && a->row[j] == a->row[i];) {
      empty_set(s);
      for (int v = 0; v < s->images; v++) {
        const int32_t apart = a->piece[i * s->images + v] ^ a->piece[j * s->images + v];
        if (!(apart & (g->slots - 1)) && (apart || !g->shared)) add_image(s->set, (unsigned)v);
      }
      if (!close_images(s, d, d->rest[a->row[i]], s->set, 0)) return false;
    }
  return true;
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

/* Closes what lanes that got their place last leave no room for. */
static bool close_fresh(Search *s, Depth *d, const Asked *a) {
  const int lanes = a->group->lanes;
  int32_t piece[WARP];
  int row[WARP], count = 0;
  for (int i = 0; i < lanes; i++) {
    row[count] = a->row[i];
    if (s->fresh[a->row[i]]) piece[count++] = a->piece[i * s->images + (int)d->x[a->row[i]]];
  }
  budget_spend(s->budget, lanes + count * lanes * (a->group->shared ? 6 : 2));
  for (int i = 0; i < lanes && count; i++) {
    empty_set(s);
    for (int k = 0; k < count; k++)
      if (row[k] != a->row[i]) add_images_at(s, a, i, piece[k]);
    if (!close_images(s, d, d->rest[a->row[i]], s->set, d->x[a->row[i]])) return false;
  }
  return true;
}

/* --- groups that are counted --- */

/* The lanes of a group that have their place. */
static int cost_of_placed(const Search *s, const Depth *d, const Asked *a) {
  const Group *g = a->group;
  int32_t at[WARP], source[WARP];
  int lanes = 0;
  for (int i = 0; i < g->lanes; i++) {
    if (d->rest[a->row[i]]) continue;
    source[lanes] = g->source[i];
    at[lanes++] = a->start[i] + (g->col[i] ^ (int32_t)(d->x[a->row[i]] << s->low));
  }
  budget_spend(s->budget, group_steps(g, lanes) + g->lanes);
  return lanes ? group_cost(s->space->classes->set, g, lanes, at, source) : 0;
}

/* Counts a group whose lanes got their place. False if the total is too much then. */
static bool count_fresh(const Search *s, const Depth *from, Depth *to, int n) {
  const Asked *a = &s->ask[n];
  const int before = from->cost[n];
  const int cost = a->rows & s->freshes ? cost_of_placed(s, to, a) : before;
  to->cost[n] = cost > before ? cost : before;
  to->total += (to->cost[n] - before) * a->group->weight;
  return to->total <= s->most;
}

static bool settle_groups(Search *s, const Depth *from, Depth *to) {
  budget_spend(s->budget, s->asked);
  for (int n = 0; n < s->asked; n++) {
    const Asked *a = &s->ask[n];
    if (a->kind == BY_ROWS && a->rows & s->freshes && !close_fresh(s, to, a)) return false;
    if (a->kind == BY_COUNT && !count_fresh(s, from, to, n)) return false;
  }
  return true;
}

/* --- the start --- */

static void enter_rows(Search *s, Asked *a) {
  for (int i = 0; i < a->group->lanes; i++) {
    const uint32_t row = (uint32_t)a->group->row[i];
    const int at = s->index[row];
    if (at >= s->rows || s->row[at] != row) {
      s->index[row] = s->rows;
      s->row[s->rows++] = row;
    }
    a->row[i] = s->index[row];
    a->start[i] = rows_start(s->space->rows, (int32_t)row);
    a->rows |= UINT64_C(1) << a->row[i] % 64;
  }
  if (a->kind == BY_ROWS) list_images(s, a);
}

/* Heavy groups first: they refuse the most. */
static int by_weight(const void *pa, const void *pb) {
  const Asked *a = pa, *b = pb;
  if (a->group->weight != b->group->weight) return a->group->weight > b->group->weight ? -1 : 1;
  return (a->group > b->group) - (a->group < b->group);
}

/* A group that may not cost more than it must is not counted where pairs decide; of those in rows
 * that carry only a few, since their lanes are compared with each other at every node. */
static void enter_groups(Search *s, const Suspects *suspects) {
  enum { MOST_BY_ROWS = 8 };
  const Classes *c = s->space->classes;
  const bool aligned = maps_are_aligned(c->set, s->space->rows, c->cols);
  int by_rows = 0;
  s->ask = ARENA_ARRAY(s->arena, Asked, (size_t)s->asked);
  s->row = ARENA_ARRAY(s->arena, uint32_t, (size_t)s->asked * WARP);
  for (int i = 0; i < s->asked; i++) {
    const Group *g = s->ask[i].group = &c->group[suspects->order[i]];
    const bool by_pairs = g->floor == 1 && g->slots && g->weight > s->most - c->floor;
    if (by_pairs && aligned)
      s->ask[i].kind = BY_RULES;
    else
      s->ask[i].kind = by_pairs && by_rows++ < MOST_BY_ROWS ? BY_ROWS : BY_COUNT;
  }
  qsort(s->ask, (size_t)s->asked, sizeof *s->ask, by_weight);
  for (int i = 0; i < s->asked; i++)
    if (s->ask[i].kind != BY_RULES) enter_rows(s, &s->ask[i]);
  s->fresh = ARENA_ARRAY(s->arena, bool, (size_t)s->rows);
}

/* Rules that there can be at the start: one a row, or one a pair of lanes. */
static size_t most_rules(const Search *s) {
  const size_t rows = (size_t)1 << s->space->rows->row_bits;
  size_t pairs = (size_t)s->space->rows->row_bits + (size_t)s->rows;
  for (int i = 0; i < s->asked && pairs < rows; i++)
    if (s->ask[i].kind == BY_RULES) pairs += WARP * WARP / 2;
  return maps_can_tear(s->space) || pairs > rows ? rows : pairs;
}

static void enter_depth(Search *s, Depth *d, size_t rules) {
  if (d->of) return;
  d->of = ARENA_ARRAY(s->arena, uint32_t, rules);
  d->closed = ARENA_ARRAY(s->arena, uint64_t, rules * (size_t)s->words);
  d->rest = ARENA_ARRAY(s->arena, uint32_t, (size_t)s->rows);
  d->x = ARENA_ARRAY(s->arena, unsigned, (size_t)s->rows);
  d->cost = ARENA_ARRAY(s->arena, int, (size_t)s->asked);
}

/* What holds before any row has its image. False if that is too much already. */
static bool enter_start(Search *s, Depth *d) {
  enter_depth(s, d, most_rules(s));
  d->bits = s->query->bits;
  d->total = s->space->classes->floor;
  memcpy(d->rest, s->row, (size_t)s->rows * sizeof *d->rest);
  memset(s->index, 0, sizeof *s->index << s->space->rows->row_bits);
  rule_tears(s, d);
  rule_allowed(s, d);
  for (int n = 0; n < s->asked; n++) {
    const Asked *a = &s->ask[n];
    d->cost[n] = a->group->floor;
    if (a->kind == BY_RULES && !rule_pairs(s, d, a->group)) return false;
    if (a->kind == BY_ROWS && !close_rows(s, d, a)) return false;
  }
  for (int i = 0; i < s->rows; i++) s->fresh[i] = s->row[i] == 0;
  s->freshes = UINT64_MAX;
  return d->total <= s->most && settle_groups(s, d, d);
}

static int by_bits(const void *pa, const void *pb) {
  const unsigned a = *(const unsigned *)pa, b = *(const unsigned *)pb;
  const int more = __builtin_popcount(a) - __builtin_popcount(b);
  return more ? more : (a > b) - (a < b);
}

static void search_enter(Search *s, const Suspects *suspects) {
  const size_t rows = (size_t)1 << s->space->rows->row_bits;
  s->images = 1 << __builtin_popcount(s->space->col_bits);
  s->words = (s->images + WORD - 1) / WORD;
  s->low = __builtin_ctz(s->space->col_bits);
  s->set = ARENA_ARRAY(s->arena, uint64_t, (size_t)s->words);
  s->index = ARENA_ARRAY(s->arena, int32_t, rows);
  s->order = ARENA_ARRAY(s->arena, unsigned, (size_t)s->images);
  for (unsigned v = 0; v < (unsigned)s->images; v++) s->order[v] = v;
  qsort(s->order, (size_t)s->images, sizeof *s->order, by_bits);
  budget_spend(s->budget, (int64_t)rows + s->images * 8);
  enter_groups(s, suspects);
}

/* --- the search --- */

/* The fewest mask bits among the images that are left. */
static int least_bits(const Search *s, const uint64_t *closed) {
  for (int i = 0; i < s->images; i++)
    if (!has_image(closed, s->order[i])) return __builtin_popcount(s->order[i]);
  return ANY_BITS;
}

/* Rows that are to have their image next. */
typedef struct {
  uint32_t rows;          /* 0: all is placed */
  const uint64_t *closed; /* images that they cannot have; NULL: any */
  bool impossible;        /* some rows have none left, or all together need too many mask bits */
} Choice;

/* The row difference that has the fewest images left; where none is ruled, the lowest row bit. Mask
 * bits can be counted only where single row bits are placed. */
static Choice choose_rows(const Search *s, const Depth *d) {
  Choice c = {.rows = 0};
  const bool single = d->bits < ANY_BITS;
  int most = -1, bits = 0;
  for (int i = 0; i < d->rules && !c.impossible; i++) {
    const uint64_t *set = d->closed + i * s->words;
    const int closed = count_images(s, set);
    c.impossible = closed == s->images;
    if (single && d->of[i] & (d->of[i] - 1)) continue;
    if (single) bits += least_bits(s, set);
    if (closed <= most) continue;
    c.rows = d->of[i];
    c.closed = set;
    most = closed;
  }
  c.impossible = c.impossible || bits > d->bits;
  for (int i = 0; i < s->rows && !c.closed; i++) c.rows |= d->rest[i];
  if (!c.closed) c.rows &= -c.rows;
  return c;
}

/* What is left of each row, and which rows have their place now: without a branch, since there may
 * be many. */
static void move_rows(Search *s, const Depth *from, Depth *to, uint32_t rows, unsigned v) {
  const int pivot = __builtin_ctz(rows), count = s->rows;
  uint64_t fresh = 0;
  for (int i = 0; i < count; i++) {
    const uint32_t changes = -(from->rest[i] >> pivot & 1), rest = from->rest[i] ^ (rows & changes);
    to->rest[i] = rest;
    to->x[i] = from->x[i] ^ (v & changes);
    s->fresh[i] = changes && !rest;
    fresh |= (uint64_t)s->fresh[i] << i % 64;
  }
  s->freshes = fresh;
}

/* Gives rows the image v. False if that breaks a rule, or costs too much. */
static bool place_rows(Search *s, const Depth *from, Depth *to, uint32_t rows, unsigned v) {
  to->bits = from->bits - (from->bits < ANY_BITS ? __builtin_popcount(v) : 0);
  if (to->bits < 0) return false;
  to->total = from->total;
  to->rules = 0;
  budget_spend(s->budget, 40 + s->rows * 2 + from->rules * (4 + 4 * s->words));
  move_rows(s, from, to, rows, v);
  for (int i = 0; i < from->rules; i++) {
    const bool changes = from->of[i] & rows & -rows;
    if (!close_images(s, to, changes ? from->of[i] ^ rows : from->of[i],
                      from->closed + i * s->words, changes ? v : 0))
      return false;
  }
  return settle_groups(s, from, to);
}

/* All groups are at their cost: the map of what is placed. The image of each row bit: of a placed
 * difference the lowest from the others, which are placed later or not at all. The search goes on
 * below its total, as far as is of interest. */
static void record(Search *s, int depth, int64_t total) {
  unsigned *column = s->result.map.column;
  s->result.found = true;
  s->result.map = (Map){.total = total};
  while (depth-- > 0) {
    const uint32_t rows = s->placed[depth].rows;
    const unsigned others = (unsigned)maps_image(&s->result.map, (int32_t)(rows & (rows - 1)));
    column[__builtin_ctz(rows)] = others ^ s->placed[depth].image << s->low;
  }
  s->most = total - 1;
}

static bool is_done(const Search *s) {
  return !s->result.complete || (s->result.found && s->most < s->query->least);
}

static void search_from(Search *s, int depth) {
  const Depth *d = &s->depth[depth];
  Depth *next = &s->depth[depth + 1];
  const Choice c = choose_rows(s, d);
  if (c.impossible) return;
  if (c.rows == 0) {
    record(s, depth, d->total);
    return;
  }
  enter_depth(s, next, (size_t)(s->depth[0].rules + s->rows));
  for (int i = 0; i < s->images && !is_done(s); i++) {
    const unsigned v = s->order[i];
    if (c.closed && has_image(c.closed, v)) continue;
    s->result.nodes++;
    s->result.complete = budget_left(s->budget);
    s->placed[depth].rows = c.rows;
    s->placed[depth].image = v;
    if (place_rows(s, d, next, c.rows, v)) search_from(s, depth + 1);
  }
}

MapSearch map_search(const MapSpace *space, const Suspects *suspects, int asked, const MapQuery *q,
                     Budget *b) {
  Search s = {.space = space,
              .query = q,
              .most = q->most,
              .arena = arena_new(),
              .asked = asked,
              .budget = b,
              .result = {.complete = true}};
  search_enter(&s, suspects);
  if (enter_start(&s, &s.depth[0])) search_from(&s, 0);
  arena_free(s.arena);
  return s.result;
}
