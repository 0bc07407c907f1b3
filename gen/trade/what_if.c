/* SPDX-License-Identifier: MIT */
#include "trade/what_if.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"

/* The maximum effort of one change, and the maximum number of changes in a list. */
enum { EFFORT_EACH = 20 * 1000 * 1000, MOST_CHANGES = 512 };

typedef struct {
  Arena *arena;
  Arena *once; /* for one change */
  const AccessSet *set;
  Budget *budget;
  /* cost of the unchanged accesses: thousandths of wavefronts, and bytes */
  int64_t total, ideal, bytes;
  int count, tried, most;
  Alteration change[MOST_CHANGES];
} Search;

/* --- the changed access --- */

/* Splits each instruction into c->parts instructions with fewer, adjacent elements per lane. */
static void split(const Access *from, const Alteration *c, int last, WarpAccess *to) {
  const int elements = from->elements / c->parts;
  for (int w = 0; w < from->warps; w++)
    for (int p = 0; p < c->parts; p++) {
      WarpAccess *out = &to[w * c->parts + p];
      *out = from->warp[w];
      for (int lane = 0; lane < WARP; lane++)
        if (out->active >> lane & 1) out->coord[last][lane] += p * elements;
    }
}

/* The lane whose element lane `lane` takes after the change. */
static int lane_from(const Alteration *c, int lane) {
  int from = 0;
  for (int i = 0; i < LANE_BITS; i++) from |= (lane >> i & 1) << c->bit[i];
  return from;
}

/* The lane and the instruction whose element lane `lane` of instruction w takes after the
 * change. */
static void source_of(const Alteration *c, int lane, int w, int *from_lane, int *from_w) {
  *from_lane = c->kind == ALTER_LANES ? lane_from(c, lane) : lane;
  *from_w = w;
  if (c->kind != ALTER_TURNS) return;
  const int l = lane >> c->lane_bit & 1, t = w >> c->turn_bit & 1;
  *from_lane = (lane & ~(1 << c->lane_bit)) | t << c->lane_bit;
  *from_w = (w & ~(1 << c->turn_bit)) | l << c->turn_bit;
}

static void reorder(const Access *from, const Alteration *c, int rank, WarpAccess *to,
                    int64_t (*source)[WARP]) {
  for (int w = 0; w < from->warps; w++)
    for (int lane = 0; lane < WARP; lane++) {
      int l, i;
      source_of(c, lane, w, &l, &i);
      to[w].active |= (from->warp[i].active >> l & 1) << lane;
      for (int d = 0; d < rank; d++) to[w].coord[d][lane] = from->warp[i].coord[d][l];
      if (source) source[w][lane] = from->source[i][l];
    }
}

static Access alter(const Search *s, const Alteration *c) {
  const Access *from = &s->set->access[c->access];
  const int rank = s->set->tile->rank, parts = c->kind == ALTER_SPLIT ? c->parts : 1;
  Access out = *from;
  WarpAccess *warp = ARENA_ARRAY(s->once, WarpAccess, (size_t)from->warps * (size_t)parts);
  int64_t(*source)[WARP] = NULL;
  if (from->source) source = arena_array(s->once, (size_t)from->warps, sizeof *source);
  if (c->kind == ALTER_SPLIT)
    split(from, c, rank - 1, warp);
  else
    reorder(from, c, rank, warp, source);
  out.warp = warp;
  out.source = (const int64_t(*)[WARP])source;
  out.warps = from->warps * parts;
  out.elements /= parts;
  out.bytes_per_lane /= parts;
  return out;
}

/* --- one change --- */

/* True if the change lowers the total, or the bytes at an equal total. */
static bool helps(const Search *s, const Alteration *c) {
  return c->total < s->total || (c->total == s->total && c->bytes < s->bytes);
}

static bool is_duplicate_change(const Search *s, const Alteration *c) {
  for (int i = 0; i < s->count; i++) {
    const Alteration *b = &s->change[i];
    if (b->access == c->access && b->total == c->total && b->bytes == c->bytes) return true;
  }
  return false;
}

static void weigh(Search *s, const AccessSet *set, Alteration *c) {
  c->bytes = layout_bytes(&c->solution->layout, set->tile->dtype->bytes);
  c->wavefronts = c->solution->wavefronts;
  c->total = c->solution->total;
  c->ideal = c->total <= s->ideal;
}

/* Copies the parts of a solution that do not refer to the changed set. */
static const Solution *keep(Arena *a, const Solution *from) {
  Solution *out = ARENA_NEW(a, Solution);
  *out = (Solution){.layout = from->layout,
                    .conflict_free = from->conflict_free,
                    .minimal = from->minimal,
                    .total = from->total,
                    .wavefronts = from->wavefronts,
                    .ideal = from->ideal};
  if (!from->map) return out;
  GivenMap *map = ARENA_NEW(a, GivenMap);
  *map = (GivenMap){.text = from->map->text, .elements = from->map->elements};
  out->map = map;
  return out;
}

static void try_change(Search *s, Alteration c) {
  AccessSet set = *s->set;
  s->most++;
  if (!budget_rest(s->budget) || s->count == MOST_CHANGES) return;
  s->tried++;
  arena_clear(s->once);
  Access *access = ARENA_ARRAY(s->once, Access, (size_t)set.accesses);
  memcpy(access, set.access, (size_t)set.accesses * sizeof *access);
  access[c.access] = alter(s, &c);
  set.access = access;
  set.effort = EFFORT_EACH;
  c.solution = solve_tile(s->once, diag_new(s->once), &set);
  if (!c.solution) {
    budget_spend(s->budget, EFFORT_EACH);
    return;
  }
  budget_spend(s->budget, c.solution->effort);
  weigh(s, &set, &c);
  if (!helps(s, &c) || is_duplicate_change(s, &c)) return;
  c.solution = keep(s->arena, c.solution);
  s->change[s->count++] = c;
}

/* --- all changes of an access, the simplest first --- */

static void try_splits(Search *s, int access) {
  const Access *a = &s->set->access[access];
  for (int parts = 2; parts <= a->elements && a->op != OP_CP_ASYNC; parts *= 2)
    try_change(s, (Alteration){.access = access, .kind = ALTER_SPLIT, .parts = parts});
}

/* Lanes of one group share the banks, so only the choice of lane bits within a group matters. Tries
 * each choice once: the chosen bits in ascending order, then the others. */
static void try_orders(Search *s, int access) {
  const Access *a = &s->set->access[access];
  const int inside = a->bytes_per_lane == 16 ? 3 : a->bytes_per_lane == 8 ? 4 : LANE_BITS;
  for (unsigned chosen = 0; chosen < 1U << LANE_BITS; chosen++) {
    Alteration c = {.access = access, .kind = ALTER_LANES};
    int n = 0;
    if (__builtin_popcount(chosen) != inside || chosen == (1U << inside) - 1) continue;
    for (int bit = 0; bit < LANE_BITS; bit++)
      if (chosen >> bit & 1) c.bit[n++] = bit;
    for (int bit = 0; bit < LANE_BITS; bit++)
      if (!(chosen >> bit & 1)) c.bit[n++] = bit;
    try_change(s, c);
  }
}

static void try_turns(Search *s, int access) {
  const int warps = s->set->access[access].warps;
  for (int turn = 0; 2 << turn <= warps && number_is_power(warps); turn++)
    for (int lane = 0; lane < LANE_BITS; lane++)
      try_change(s, (Alteration){
                        .access = access, .kind = ALTER_TURNS, .lane_bit = lane, .turn_bit = turn});
}

/* Skips matrix instructions: their lanes give addresses of rows for other lanes, in an order that
 * the fragment fixes. */
static void try_access(Search *s, int access) {
  if (op_moves_matrices(s->set->access[access].op)) return;
  try_splits(s, access);
  try_orders(s, access);
  try_turns(s, access);
}

static int by_gain(const void *a, const void *b) {
  const Alteration *x = a, *y = b;
  if (x->total != y->total) return x->total < y->total ? -1 : 1;
  if (x->bytes != y->bytes) return x->bytes < y->bytes ? -1 : 1;
  if (x->kind != y->kind) return (int)x->kind - (int)y->kind;
  return x->access - y->access;
}

WhatIf what_if_list(Arena *a, const AccessSet *set, const Solution *solution, Budget *b) {
  const KgenLayout plain = layout_plain(set->tile);
  Search *s = ARENA_NEW(a, Search);
  *s = (Search){.arena = a, .set = set, .once = arena_new(), .budget = b, .total = solution->total};
  s->bytes = layout_bytes(&solution->layout, set->tile->dtype->bytes);
  for (int i = 0; i < set->accesses; i++)
    s->ideal += solution->cost[i].ideal * set->access[i].weight;
  const bool perfect =
      s->total == s->ideal && s->bytes == layout_bytes(&plain, set->tile->dtype->bytes);
  for (int i = 0; i < set->accesses && !perfect; i++) try_access(s, i);
  arena_free(s->once);
  qsort(s->change, (size_t)s->count, sizeof *s->change, by_gain);
  return (WhatIf){s->count, s->change, s->tried, s->most};
}

/* --- in words --- */

/* Spells the lane whose element lane `lane` takes, as a sum over runs of bits. */
static void spell_lane(Text *out, const Alteration *c) {
  const char *plus = "";
  for (int i = 0, n; i < LANE_BITS; i += n) {
    for (n = 1; i + n < LANE_BITS && c->bit[i + n] == c->bit[i] + n;) n++;
    text_printf(out, "%slane", plus);
    if (i > 0) text_printf(out, " / %d", 1 << i);
    if (i + n < LANE_BITS) text_printf(out, " %% %d", 1 << n);
    if (c->bit[i] > 0) text_printf(out, " * %d", 1 << c->bit[i]);
    plus = " + ";
  }
}

const char *what_if_spell(Arena *a, const AccessSet *set, const Alteration *c) {
  const int bytes = set->access[c->access].bytes_per_lane;
  Text t = text_new(a);
  switch (c->kind) {
  case ALTER_SPLIT:
    text_printf(&t, "%d-byte lanes split into %d of %d bytes", bytes, c->parts, bytes / c->parts);
    break;
  case ALTER_LANES:
    spell_lane(&t, c);
    text_puts(&t, " in the place of lane");
    break;
  case ALTER_TURNS:
    text_printf(&t, "lanes %d apart and instructions %d apart change places", 1 << c->lane_bit,
                1 << c->turn_bit);
    break;
  }
  return t.s;
}
