#include "solve/orbit.h"

#include <stdlib.h>
#include <string.h>

/* A group as its cost sees it, with the class that it came from. */
typedef struct {
  Group group;
  int class;
  int alike; /* XORs of its columns that leave it the same set of lanes */
} Member;

int family_compare(const Group *a, const Group *b) {
  if (a->lanes != b->lanes) return a->lanes - b->lanes;
  if (a->slots != b->slots) return a->slots - b->slots;
  if (a->slot_shift != b->slot_shift) return a->slot_shift - b->slot_shift;
  if (a->shared != b->shared) return a->shared - b->shared;
  const size_t bytes = (size_t)a->lanes * sizeof a->row[0];
  const int rows = memcmp(a->row, b->row, bytes);
  return rows ? rows : memcmp(a->col, b->col, bytes);
}

static int by_group(const void *pa, const void *pb) {
  const Member *a = pa, *b = pb;
  const int order = family_compare(&a->group, &b->group);
  return order ? order : a->class - b->class;
}

/* XORs all columns by v and sorts the lanes of each row again. */
static void xor_columns(Group *g, int32_t v) {
  for (int i = 0; i < g->lanes; i++) {
    const int32_t col = g->col[i] ^ v;
    int at = i;
    for (; at > 0 && g->row[at - 1] == g->row[i] && g->col[at - 1] > col; at--)
      g->col[at] = g->col[at - 1];
    g->col[at] = col;
  }
}

/* The least of the XORs of g by values within `bits` that bring a lane of its first row to 0 in
 * these bits: the same for all groups that such XORs turn into each other. */
static Member least_member(const Group *g, int class, unsigned bits) {
  Member least = {.group = *g, .class = class};
  unsigned tried[WARP];
  int tries = 0;
  for (int i = 0; i < g->lanes && g->row[i] == g->row[0]; i++) {
    const unsigned v = (unsigned)g->col[i] & bits;
    int known = 0;
    while (known < tries && tried[known] != v) known++;
    if (known < tries) continue;
    tried[tries++] = v;
    Group moved = *g;
    xor_columns(&moved, (int32_t)v);
    const int order = tries == 1 ? -1 : family_compare(&moved, &least.group);
    if (order < 0) least.alike = 0;
    if (order < 0) least.group = moved;
    least.alike += order <= 0;
  }
  return least;
}

/* Whether members `first` to `end` - 1, which are distinct and which XORs turn into each other, are
 * all such, equally often. */
static bool is_closed(const Classes *c, const Member *m, int first, int end, unsigned bits) {
  const Group *one = &c->group[m[first].class];
  for (int i = first; i < end; i++) {
    const Group *other = &c->group[m[i].class];
    if (other->weight != one->weight || other->floor != one->floor) return false;
  }
  return (end - first) * m[first].alike == 1 << __builtin_popcount(bits);
}

/* closed[class]: the class occurs with every XOR of its columns within the map's column bits. */
static bool *find_closed(Arena *a, const MapSpace *s) {
  const Classes *c = s->classes;
  bool *closed = ARENA_ARRAY(a, bool, (size_t)c->count);
  Member *m = ARENA_ARRAY(a, Member, (size_t)c->count);
  for (int i = 0; i < c->count; i++) m[i] = least_member(&c->group[i], i, s->col_bits);
  qsort(m, (size_t)c->count, sizeof *m, by_group);
  for (int first = 0, end; first < c->count; first = end) {
    for (end = first + 1; end < c->count && !family_compare(&m[first].group, &m[end].group);) end++;
    const bool all = is_closed(c, m, first, end, s->col_bits);
    for (int i = first; i < end; i++) closed[m[i].class] = all;
  }
  return closed;
}

/* Moves a group down by the row bits that all its lanes have, if that moves them by whole words
 * alike. Of the map it takes the XOR of these bits' images off all lanes. */
static void move_down(const MapSpace *s, Group *g) {
  const AccessSet *set = s->classes->set;
  const int32_t *base = s->rows->base;
  int32_t low = g->row[0];
  for (int i = 1; i < g->lanes; i++) low &= g->row[i];
  if ((int64_t)base[low] * set->tile->dtype->bytes % set->banks.bytes) return;
  for (int i = 0; i < g->lanes; i++)
    if (base[g->row[i]] != base[low] + base[g->row[i] - low]) return;
  for (int i = 0; i < g->lanes; i++) g->row[i] -= low;
}

/* Equal groups become one class of their weights' sum and the least of their floors. */
static Classes *merge_equal(Arena *a, const Classes *c, Member *m) {
  Classes *out = ARENA_NEW(a, Classes);
  *out = *c;
  out->group = ARENA_ARRAY(a, Group, (size_t)c->count);
  out->count = 0;
  out->floor = 0;
  qsort(m, (size_t)c->count, sizeof *m, by_group);
  for (int first = 0, end; first < c->count; first = end) {
    Group *g = &out->group[out->count++];
    *g = m[first].group;
    for (end = first + 1; end < c->count && !family_compare(g, &m[end].group); end++) {
      g->weight += m[end].group.weight;
      if (m[end].group.floor < g->floor) g->floor = m[end].group.floor;
    }
    out->floor += g->floor * g->weight;
  }
  return out;
}

bool family_slots(const Classes *c) {
  for (int i = 0; i < c->count; i++)
    if (c->group[i].slots == 0) return false;
  return true;
}

static Member *list_members(Arena *a, const Classes *c) {
  Member *m = ARENA_ARRAY(a, Member, (size_t)c->count);
  for (int i = 0; i < c->count; i++) m[i] = (Member){.group = c->group[i], .class = i};
  return m;
}

/* Classes that differ only in what costs nothing, as a load's and an atomic operation's do, are
 * merged first: members of a family are counted. */
MapSpace family_merge(Arena *a, const MapSpace *space, Effort *e) {
  MapSpace out = *space;
  out.parts = space->linear;
  out.deep = !swizzle_tears(space);
  if (space->linear || swizzle_tears(space) || !family_slots(space->classes)) return out;
  e->groups += space->classes->count;
  const Classes *c = merge_equal(a, space->classes, list_members(a, space->classes));
  out.classes = c;
  const bool *closed = find_closed(a, &out);
  Member *m = list_members(a, c);
  for (int i = 0; i < c->count; i++)
    if (closed[i]) move_down(space, &m[i].group);
  out.classes = merge_equal(a, c, m);
  return out;
}
