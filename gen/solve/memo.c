#include "solve/memo.h"

#include <string.h>

#include "solve/orbit.h"

/* Whether a group's lanes meet alike in two spaces, under every map: they lie alike to each other,
 * and whole words from where they lay. */
static bool places_equal(const MapSpace *a, const MapSpace *b, int i) {
  const Group *g = &a->classes->group[i], *h = &b->classes->group[i];
  const AccessSet *set = a->classes->set;
  const int32_t *from = a->rows->base, *to = b->rows->base;
  if (g->weight != h->weight || family_compare(g, h) != 0) return false;
  const int32_t shift = to[g->row[0]] - from[g->row[0]];
  if ((int64_t)shift * set->tile->dtype->bytes % set->banks.bytes) return false;
  for (int n = 1; n < g->lanes; n++)
    if (to[g->row[n]] - from[g->row[n]] != shift) return false;
  return true;
}

static bool spaces_equal(const MapSpace *a, const MapSpace *b) {
  if (a->col_bits != b->col_bits || a->linear != b->linear) return false;
  if (a->classes->count != b->classes->count || a->rows->row_bits != b->rows->row_bits)
    return false;
  for (int i = 0; i < a->classes->count; i++)
    if (!places_equal(a, b, i)) return false;
  return true;
}

bool memo_refuses(const Memo *m, const MapSpace *space, int64_t below) {
  for (int i = 0; i < m->count; i++)
    if (m->searched[i].least >= below && spaces_equal(&m->searched[i].space, space)) return true;
  return false;
}

static void *copy(Arena *a, const void *from, size_t bytes) {
  return memcpy(ARENA_ARRAY(a, char, bytes), from, bytes);
}

void memo_add(Memo *m, const MapSpace *space, int64_t least) {
  const Classes *c = space->classes;
  if (m->count == MEMO_SPACES || c->count > MEMO_GROUPS || !family_slots(c)) return;
  Searched *s = &m->searched[m->count++];
  Classes *classes = copy(m->arena, c, sizeof *c);
  Rows *rows = copy(m->arena, space->rows, sizeof *rows);
  classes->group = copy(m->arena, c->group, (size_t)c->count * sizeof *c->group);
  rows->base = copy(m->arena, rows->base, sizeof *rows->base << rows->row_bits);
  *s = (Searched){*space, least};
  s->space.classes = classes;
  s->space.rows = rows;
}
