/* SPDX-License-Identifier: MIT */
#include "solve/lane_groups.h"

#include "base/hash.h"
#include "base/number.h"
#include "model/cost.h"
#include "model/cp_async.h"

#include <stdlib.h>
#include <string.h>

/* --- the lanes of a group, normalised as its class demands --- */

static bool serves_lanes_apart(Op op) { return op == OP_ATOMIC || op == OP_CP_ASYNC; }

static bool comes_before(const Lane *a, const Lane *b) {
  if (a->row != b->row) return a->row < b->row;
  return a->col != b->col ? a->col < b->col : a->source < b->source;
}

/* Puts a lane in its place. Lanes of one element are one, except where each is served apart. */
static void add_lane(Group *g, Lane lane, bool apart) {
  int at = g->lanes;
  while (at > 0 && comes_before(&lane, &g->lane[at - 1])) at--;
  if (!apart && at > 0 && !comes_before(&g->lane[at - 1], &lane)) return;
  memmove(g->lane + at + 1, g->lane + at, (size_t)(g->lanes - at) * sizeof lane);
  g->lane[at] = lane;
  g->lanes++;
}

/* moved: all lanes are moved by the XOR that brings the first one to the origin, which preserves
 * conflicts where addresses are linear over F2. */
static void add_lanes(Group *g, const Lane *lane, int lanes, bool apart, bool moved) {
  g->lanes = 0;
  for (int i = 0; i < lanes; i++) {
    Lane to = lane[i];
    if (moved) to.row ^= lane[0].row, to.col ^= lane[0].col;
    add_lane(g, to, apart);
  }
}

/* --- what it costs at least --- */

/* Ways to place a row that differ in its conflicts: they depend on where it starts in a word, and
 * then on the XOR too, if its elements are smaller than a word and nothing keeps them aligned, or
 * if XOR does not permute so many banks. */
static int ways_to_place(const Classes *c, const Group *g) {
  const int bytes = c->set->tile->dtype->bytes, word = c->set->banks.bytes;
  const int count = c->set->banks.count;
  if (g->unit * bytes >= word && number_is_power(count)) return 1;
  return c->col_limit * (word > bytes ? word / bytes : 1);
}

/* The cost of some lanes of one row that is placed in one of these ways. */
static int row_cost(const Classes *c, const Group *g, int first, int lanes, int way) {
  const AccessSet *set = c->set;
  const Access *a = &set->access[g->at.access];
  const int x = way % c->col_limit, start = way / c->col_limit;
  int64_t address[WARP];
  for (int i = 0; i < lanes; i++)
    address[i] = (int64_t)set->tile->dtype->bytes * ((g->lane[first + i].col ^ x) + start);
  return bank_group_cost(set->banks, a->op, a->bytes_per_lane, first_lanes(lanes), address, NULL);
}

/* What lanes of one row cost at least under every pad and every XOR. */
static int row_floor(const Classes *c, const Group *g, int first, int lanes, Budget *b) {
  enum { MOST_WAYS = 4096, STEPS = 40 };
  const int ways = ways_to_place(c, g);
  int least = row_cost(c, g, first, lanes, 0);
  if (ways > MOST_WAYS || (ways > 1 && !budget_left(b))) return 1;
  for (int way = 1; way < ways && least > 1; way++) {
    const int cost = row_cost(c, g, first, lanes, way);
    budget_spend(b, STEPS + 8 * lanes);
    if (cost < least) least = cost;
  }
  return least;
}

/* Where rows keep pieces of words whole, a word's place within its piece is fixed, and with it the
 * banks that it can be in: words of one place share count / piece banks, of a piece of one word all
 * banks. This is the rank argument for columns of a tile that is filled by vectors. */
static void raise_to_places(const Classes *c, Group *g) {
  enum { MOST_BANKS = 64 };
  const AccessSet *set = c->set;
  const Access *a = &set->access[g->at.access];
  const int bytes = set->tile->dtype->bytes, word = set->banks.bytes, banks = set->banks.count;
  const int unit = c->period % g->unit ? 1 : g->unit; /* a row may be part of a piece */
  const int piece = number_least(unit * bytes / word, banks & -banks);
  int count[MOST_BANKS] = {0}, fullest = 0;
  if (piece == 0) return;
  for (int i = 0; i < g->lanes; i++) {
    const int first = g->lane[i].col * bytes / word;
    const int last = (g->lane[i].col * bytes + a->bytes_per_lane - 1) / word;
    const bool known = !serves_lanes_apart(a->op) && i > 0 &&
                       g->lane[i].row == g->lane[i - 1].row &&
                       g->lane[i - 1].col * bytes / word == first;
    for (int w = first; w <= last && !known; w++)
      if (++count[w % piece] > fullest) fullest = count[w % piece];
  }
  const int least = (fullest * piece + banks - 1) / banks;
  if (least <= g->floor) return;
  g->floor = least;
  g->piece = piece;
}

static int copy_floor(const Group *g, CopyCache cache) {
  int64_t source[WARP];
  for (int i = 0; i < g->lanes; i++) source[i] = g->lane[i].source;
  return cp_async_group_ideal(cache, first_lanes(g->lanes), source);
}

/* No layout serves a group in fewer wavefronts than its words need, or than its fullest row. */
static void set_floor(const Classes *c, Group *g, Budget *b) {
  const AccessSet *set = c->set;
  const Access *a = &set->access[g->at.access];
  g->floor = g->copy ? copy_floor(g, a->cache) : 1;
  if (g->copy && a->cache == COPY_CG) return; /* no bank decides */
  for (int first = 0, end; first < g->lanes; first = end) {
    for (end = first + 1; end < g->lanes && g->lane[end].row == g->lane[first].row;) end++;
    const int least = end - first > 1 ? row_floor(c, g, first, end - first, b) : 1;
    if (least > g->floor) g->floor = least;
  }
  raise_to_places(c, g);
}

/* --- classes --- */

/* Lanes are aligned to their own size, so where banks are powers of two a lane's words fill one of
 * `slots` runs of banks, and it is runs that lanes meet in. */
static void set_slots(const AccessSet *set, Group *g) {
  const Access *a = &set->access[g->at.access];
  const int count = set->banks.count, word = set->banks.bytes;
  const int piece = a->bytes_per_lane > word ? a->bytes_per_lane : word;
  if (g->copy || !number_is_power(count) || !number_is_power(word) || piece / word > count) return;
  if (count / (piece / word) > MOST_SLOTS) return;
  g->slots = count / (piece / word);
  g->slot_shift = number_log2(piece / set->tile->dtype->bytes);
  g->shared = a->bytes_per_lane < word && a->op != OP_ATOMIC;
}

/* One lane group as a class of its own; address: of its lanes in the plain tile. Its floor is taken
 * from where it stands: that of irregular rows is not the same for all members of a class. */
static Group make_group(const Classes *c, const Rows *rows, Place where, uint32_t mask,
                        const int64_t *address, Budget *b) {
  const Access *a = &c->set->access[where.access];
  const bool apart = serves_lanes_apart(a->op);
  Group g = {.at = where, .unit = rows->max_unit};
  Lane lane[WARP];
  int32_t source[WARP] = {0};
  int lanes = 0;
  if (a->op == OP_CP_ASYNC)
    g.copy = cp_async_group_sources(a->cache, mask, a->source[where.warp], source);
  for (; mask; mask &= mask - 1, lanes++) {
    const int64_t index = address[__builtin_ctz(mask)] / c->set->tile->dtype->bytes;
    const int32_t at = (int32_t)(index / c->cols), col = (int32_t)(index % c->cols);
    const int32_t row = rows->row_of ? rows->row_of[at] : at;
    lane[lanes] = (Lane){row, col, g.copy ? source[lanes] : 0};
    if (rows->unit[row] < g.unit) g.unit = rows->unit[row];
  }
  add_lanes(&g, lane, lanes, apart, false);
  set_floor(c, &g, b);
  if (c->linear) add_lanes(&g, lane, lanes, apart, true);
  set_slots(c->set, &g);
  return g;
}

static bool group_equal(const AccessSet *set, const Group *a, const Group *b) {
  const Access *x = &set->access[a->at.access], *y = &set->access[b->at.access];
  return a->lanes == b->lanes && a->unit == b->unit && x->bytes_per_lane == y->bytes_per_lane &&
         (x->op == OP_ATOMIC) == (y->op == OP_ATOMIC) && a->copy == b->copy &&
         (!a->copy || x->cache == y->cache) &&
         memcmp(a->lane, b->lane, (size_t)a->lanes * sizeof *a->lane) == 0;
}

/* The classes found so far in an open hash table. */
typedef struct {
  Classes *classes;
  int32_t *slot; /* the number of its class and 1; 0: free */
  size_t last;   /* the number of the last slot, a power of two less 1 */
} Table;

static void add_group(const Table *t, const Group *g) {
  Classes *c = t->classes;
  size_t at = hash_bytes(HASH_START, g->lane, (size_t)g->lanes * sizeof *g->lane) & t->last;
  while (t->slot[at] && !group_equal(c->set, &c->group[t->slot[at] - 1], g))
    at = (at + 1) & t->last;
  if (!t->slot[at]) {
    c->group[c->count++] = *g;
    t->slot[at] = c->count;
  }
  Group *class = &c->group[t->slot[at] - 1];
  class->times++;
  class->weight += c->set->access[g->at.access].weight;
  if (g->floor < class->floor) class->floor = g->floor;
}

/* Adds the groups of one instruction. */
static void add_warp(const Table *t, const Rows *rows, Place at, Budget *b) {
  const AccessSet *set = t->classes->set;
  const Access *access = &set->access[at.access];
  const KgenLayout plain = layout_plain(set->tile);
  uint32_t mask[4]; /* does not depend on the layout */
  int64_t address[WARP];
  layout_addresses(&plain, set->tile->dtype->bytes, &access->warp[at.warp], address);
  const int groups = cost_groups(access, &access->warp[at.warp], address, mask);
  for (; at.group < groups; at.group++) {
    const Group g = make_group(t->classes, rows, at, mask[at.group], address, b);
    add_group(t, &g);
  }
}

static Table table_new(Arena *a, Classes *c) {
  size_t most = 0, slots = 16;
  for (int i = 0; i < c->set->accesses; i++)
    most +=
        (size_t)c->set->access[i].warps * (size_t)(c->set->access[i].bytes_per_lane > 4 ? 4 : 1);
  while (slots < 2 * most) slots *= 2;
  c->group = ARENA_ARRAY(a, Group, most);
  return (Table){c, ARENA_ARRAY(a, int32_t, slots), slots - 1};
}

Classes *group_classes(Arena *a, const AccessSet *set, int period, const Rows *rows, bool linear,
                       Budget *b) {
  Classes *c = ARENA_NEW(a, Classes);
  const int cols = period ? period : set->tile->extent[set->tile->rank - 1];
  *c = (Classes){
      .set = set, .period = period, .cols = cols, .col_limit = cols & -cols, .linear = linear};
  const Table t = table_new(a, c);
  for (int i = 0; i < set->accesses; i++)
    for (int w = 0; w < set->access[i].warps; w++) add_warp(&t, rows, (Place){i, w, 0, 0}, b);
  c->order = ARENA_ARRAY(a, int, (size_t)c->count);
  for (int i = 0; i < c->count; i++) {
    c->order[i] = i;
    c->floor += c->group[i].floor * c->group[i].weight;
    if (c->group[i].floor > c->group[c->highest].floor) c->highest = i;
  }
  return c;
}
