/* SPDX-License-Identifier: MIT */
#include "solve/partial_map.h"

#include "solve/total.h"

#include <string.h>

/* --- sets of images --- */

static void images_add(uint64_t *set, unsigned v) {
  set[v / SET_WORD] |= UINT64_C(1) << v % SET_WORD;
}

static void images_clear(const PartialMap *p, uint64_t *set) {
  memset(set, 0, (size_t)p->words * sizeof *set);
}

int images_count(const PartialMap *p, const uint64_t *set) {
  int n = 0;
  for (int w = 0; w < p->words; w++) n += __builtin_popcountll(set[w]);
  return n;
}

/* A word of a set with each image XORed by v: bit i becomes bit i ^ v. */
static uint64_t images_xor(uint64_t word, unsigned v) {
  static const uint64_t even[] = {UINT64_C(0x5555555555555555), UINT64_C(0x3333333333333333),
                                  UINT64_C(0x0f0f0f0f0f0f0f0f), UINT64_C(0x00ff00ff00ff00ff),
                                  UINT64_C(0x0000ffff0000ffff), UINT64_C(0x00000000ffffffff)};
  for (; v; v &= v - 1) {
    const int bit = __builtin_ctz(v);
    word = (word & even[bit]) << (1 << bit) | (word >> (1 << bit) & even[bit]);
  }
  return word;
}

/* --- rules --- */

static int find_rule(const PartialMap *p, const SearchNode *d, uint32_t rows) {
  const int i = p->index[rows];
  return i < d->rules && d->of[i] == rows ? i : -1;
}

bool partial_excludes(const PartialMap *p, const SearchNode *d, uint32_t rows, unsigned v) {
  const int i = find_rule(p, d, rows);
  return i >= 0 && images_have(d->closed + i * p->words, v);
}

/* Rows have none of the images, each XORed by v. False if the rows are none, whose image is 0. */
static bool close_images(const PartialMap *p, SearchNode *d, uint32_t rows, const uint64_t *images,
                         unsigned v) {
  if (rows == 0) return !images_have(images, v);
  int i = find_rule(p, d, rows);
  if (i < 0) {
    i = p->index[rows] = d->rules++;
    d->of[i] = rows;
    images_clear(p, d->closed + i * p->words);
  }
  for (int w = 0; w < p->words; w++)
    d->closed[i * p->words + (w ^ (int)(v / SET_WORD))] |= images_xor(images[w], v % SET_WORD);
  return true;
}

/* Rows that keep longer pieces whole than others do exclude the images that would split them. */
static void close_splitting(const PartialMap *p, SearchNode *d) {
  const Rows *rows = p->space->rows;
  for (int row = 1; maps_can_tear(p->space) && row < rows->rows; row++) {
    images_clear(p, p->set);
    for (int v = 0; v < p->images; v++)
      if ((v << p->low) % rows->unit[row]) images_add(p->set, (unsigned)v);
    if (images_count(p, p->set)) close_images(p, d, (uint32_t)row, p->set, 0);
  }
}

/* The rules on rows with a bit become rules on the rows without it. False if one is broken. */
static bool move_rules(const PartialMap *p, const SearchNode *from, SearchNode *to, int bit,
                       unsigned v) {
  budget_spend(p->budget, 40 + from->rules * (3 + 4 * p->words));
  to->rules = 0;
  for (int i = 0; i < from->rules; i++) {
    const unsigned moved = from->of[i] >> bit & 1 ? v : 0;
    if (!close_images(p, to, from->of[i] & to->open, from->closed + i * p->words, moved))
      return false;
  }
  return true;
}

/* --- where images bring lanes --- */

static uint64_t *images_in(const PartialMap *p, const GroupConstraint *a, int lane, int32_t piece) {
  const int slots = a->group->slots;
  return a->images_in + (lane * slots + (piece & (slots - 1))) * p->words;
}

static int32_t piece_of(const PartialMap *p, const GroupConstraint *a, int lane, unsigned image) {
  const Group *g = a->group;
  const Rows *rows = p->space->rows;
  const int32_t change = (int32_t)(image << p->low), col = g->lane[lane].col;
  if (rows->spread) return rows_place(rows, g->lane[lane].row, col, change) >> g->slot_shift;
  return (a->start[lane] + (col ^ change)) >> g->slot_shift;
}

static void list_images(const PartialMap *p, GroupConstraint *a) {
  const Group *g = a->group;
  a->images_in = ARENA_ARRAY(p->arena, uint64_t, (size_t)(g->lanes * g->slots * p->words));
  for (int i = 0; i < g->lanes; i++)
    for (unsigned v = 0; v < (unsigned)p->images; v++) {
      const int32_t piece = piece_of(p, a, i, v);
      images_add(images_in(p, a, i, piece), v);
      a->reach[i] |= UINT64_C(1) << (piece & (g->slots - 1));
    }
  budget_spend(p->budget, g->lanes * (p->images * 3 + g->slots * p->words / 2));
}

static void list_lanes(const PartialMap *p, GroupConstraint *a) {
  for (int i = 0; i < a->group->lanes; i++) {
    const int32_t row = a->group->lane[i].row;
    a->start[i] = rows_start(p->space->rows, row);
    a->bits |= (uint32_t)row;
    for (uint32_t left = (uint32_t)row; left; left &= left - 1)
      a->with[__builtin_ctz(left)] |= UINT32_C(1) << i;
  }
  budget_spend(p->budget, 4 * a->group->lanes);
}

/* --- pairs of lanes --- */

/* Adds the images that bring a lane where another's piece is, unless one word then serves both.
 * False if there are none. */
static bool add_meetings(const PartialMap *p, const GroupConstraint *a, int lane, int32_t piece) {
  const uint64_t *in = images_in(p, a, lane, piece);
  uint64_t any = 0;
  for (int w = 0; w < p->words; w++) {
    uint64_t meet = in[w];
    for (uint64_t left = a->group->shared ? meet : 0; left; left &= left - 1) {
      const int v = w * SET_WORD + __builtin_ctzll(left);
      if (piece_of(p, a, lane, (unsigned)v) == piece) meet ^= left & -left;
    }
    p->set[w] |= meet;
    any |= meet;
  }
  return any;
}

/* Where rows start alike, modulo what a row takes, it depends on the difference of their images
 * alone whether lanes meet. */
static bool start_alike(const PartialMap *p, const GroupConstraint *a, int i, int j) {
  const int piece = 1 << a->group->slot_shift;
  int room = piece;
  if (p->space->rows->spread) return false;
  while (room < p->space->classes->cols) room *= 2;
  return (a->start[i] - a->start[j]) % room == 0 && a->start[i] % piece == 0;
}

/* False if two lanes meet under every map. */
static bool close_differences(const PartialMap *p, SearchNode *d, GroupConstraint *a) {
  const Group *g = a->group;
  budget_spend(p->budget, g->lanes * g->lanes * (g->shared ? 4 : 3));
  for (int i = 0; i < g->lanes; i++)
    for (int j = 0; j < i; j++) {
      const uint32_t rows = (uint32_t)(g->lane[i].row ^ g->lane[j].row);
      const bool alike = start_alike(p, a, i, j);
      a->carries |= !alike;
      images_clear(p, p->set);
      if (alike && add_meetings(p, a, j, piece_of(p, a, i, 0)) &&
          !close_images(p, d, rows, p->set, 0))
        return false;
    }
  return true;
}

/* What the bits of a row that have their images contribute to its own. */
static unsigned image_of(const PartialMap *p, int32_t row) {
  return (unsigned)maps_image(&p->map, row) >> p->low;
}

/* Closes to lanes without a place the slots of those that just got theirs: each slot holds one
 * piece. Lanes that had their place before closed it to these. False if two lanes meet. */
static bool exclude_occupied_slots(const PartialMap *p, SearchNode *d, const GroupConstraint *a,
                                   uint32_t fresh) {
  const Group *g = a->group;
  uint64_t slots = 0;
  int32_t held[MOST_SLOTS];
  budget_spend(p->budget, 10 * __builtin_popcount(fresh));
  for (; fresh; fresh &= fresh - 1) {
    const int i = __builtin_ctz(fresh);
    const int32_t piece = piece_of(p, a, i, image_of(p, g->lane[i].row));
    const int slot = piece & (g->slots - 1);
    if (slots >> slot & 1 && !(g->shared && held[slot] == piece)) return false;
    slots |= UINT64_C(1) << slot;
    held[slot] = piece;
  }
  for (int i = 0; i < g->lanes; i++) {
    const uint32_t rest = (uint32_t)g->lane[i].row & d->open;
    uint64_t left = slots & a->reach[i];
    bool any = false;
    if (rest == 0 || left == 0) continue;
    budget_spend(p->budget, 22 + 4 * __builtin_popcountll(left));
    images_clear(p, p->set);
    for (; left; left &= left - 1) any |= add_meetings(p, a, i, held[__builtin_ctzll(left)]);
    if (any) close_images(p, d, rest, p->set, image_of(p, g->lane[i].row));
  }
  return true;
}

/* --- what groups cost whose lanes have their place --- */

/* The lanes that got their place last: at the start those that stand where they do under every
 * map. */
static uint32_t fresh_lanes(const SearchNode *d, const GroupConstraint *a) {
  uint32_t lanes = d->last ? a->with[__builtin_ctz(d->last)] : first_lanes(a->group->lanes);
  for (uint32_t left = d->open & a->bits; left && lanes; left &= left - 1)
    lanes &= ~a->with[__builtin_ctz(left)];
  return lanes;
}

/* False if the group costs too much, or its lanes leave no room to others. */
static bool place_group(const PartialMap *p, SearchNode *d, int n) {
  const GroupConstraint *a = &p->constraint[n];
  const MapSpace *s = p->space;
  if (a->by_pairs && !a->carries) return true;
  const uint32_t fresh = fresh_lanes(d, a);
  if (fresh == 0) return true;
  if (a->by_pairs) return exclude_occupied_slots(p, d, a, fresh);
  const int cost = total_of_group(s->classes->set, a->group, s->rows, &p->map, d->open, p->budget);
  if (cost > d->cost[n]) {
    d->total += (cost - d->cost[n]) * a->group->weight;
    d->cost[n] = cost;
  }
  return d->total <= p->most;
}

/* The best map known may have become better since the last of these groups got its place. */
static bool place_groups(const PartialMap *p, SearchNode *d) {
  bool holds = d->total <= p->most;
  int n = 0;
  for (; n < p->constraints && holds; n++) holds = place_group(p, d, n);
  budget_spend(p->budget, 5 * n);
  return holds;
}

/* --- the map --- */

static void list_groups(PartialMap *p) {
  const Classes *c = p->space->classes;
  const size_t rows = (size_t)1 << p->space->rows->row_bits;
  p->images = 1 << __builtin_popcount(p->space->col_bits);
  p->words = (p->images + SET_WORD - 1) / SET_WORD;
  p->low = __builtin_ctz(p->space->col_bits);
  p->set = ARENA_ARRAY(p->arena, uint64_t, (size_t)p->words);
  p->index = ARENA_ARRAY(p->arena, int32_t, rows);
  p->constraint = ARENA_ARRAY(p->arena, GroupConstraint, (size_t)p->constraints);
  budget_spend(p->budget, (int64_t)rows + p->images * 8);
  for (int i = 0; i < p->constraints; i++) {
    GroupConstraint *a = &p->constraint[i];
    const Group *g = a->group = &c->group[c->order[i]];
    a->by_pairs = g->floor == 1 && g->slots && g->weight > p->most - c->floor;
    list_lanes(p, a);
    if (a->by_pairs) list_images(p, a);
  }
}

/* There is at most one rule for each combination of open row bits, which are equally many whenever
 * a depth is reached. */
static void reserve(const PartialMap *p, SearchNode *d) {
  const size_t rows = (size_t)1 << __builtin_popcount(d->open);
  if (d->of) return;
  d->of = ARENA_ARRAY(p->arena, uint32_t, rows);
  d->closed = ARENA_ARRAY(p->arena, uint64_t, rows * (size_t)p->words);
  d->cost = ARENA_ARRAY(p->arena, int, (size_t)p->constraints);
}

bool partial_start(PartialMap *p, SearchNode *d) {
  list_groups(p);
  p->needed = 0;
  d->open = (UINT32_C(1) << p->space->rows->row_bits) - 1;
  reserve(p, d);
  d->total = p->space->classes->floor;
  close_splitting(p, d);
  for (int n = 0; n < p->constraints; n++) {
    GroupConstraint *a = &p->constraint[n];
    d->cost[n] = a->group->floor;
    if (a->by_pairs && !close_differences(p, d, a)) return false;
    if (a->carries || !a->by_pairs) p->needed |= a->bits;
  }
  return place_groups(p, d);
}

bool partial_place(PartialMap *p, const SearchNode *from, SearchNode *to, int bit, unsigned v) {
  p->map.column[bit] = v << p->low;
  to->last = UINT32_C(1) << bit;
  to->open = from->open & ~to->last;
  reserve(p, to);
  if (!move_rules(p, from, to, bit, v)) return false;
  to->total = from->total;
  memcpy(to->cost, from->cost, (size_t)p->constraints * sizeof *to->cost);
  return place_groups(p, to);
}
