#include "solve/order.h"

#include <string.h>

static unsigned highest_bit(unsigned v) { return 1u << (31 - __builtin_clz(v)); }

/* Vectors reduced so that the highest bit of each is in no later one. */
typedef struct {
  int count;
  unsigned row[SWIZZLE_MAX_ROW_BITS];
} Span;

/* What of v is not in the span. */
static unsigned span_rest(const Span *s, unsigned v) {
  for (int i = 0; i < s->count; i++)
    if (v & highest_bit(s->row[i])) v ^= s->row[i];
  return v;
}

static bool span_add(Span *s, unsigned v) {
  const unsigned rest = span_rest(s, v);
  if (rest) s->row[s->count++] = rest;
  return rest != 0;
}

/* Adds the rows of a group to a span and returns how many of them it lacked. */
static int span_add_group(Span *s, const Group *g) {
  const int before = s->count;
  for (int i = 0; i < g->lanes; i++) span_add(s, (unsigned)g->row[i]);
  return s->count - before;
}

static int count_rows(const Group *g) {
  int rows = 1;
  for (int i = 1; i < g->lanes; i++) rows += g->row[i] != g->row[i - 1];
  return rows;
}

/* The group that is decided next: few rows still open, and then the greatest weight. Rows that meet
 * no other are nothing to decide. NULL if all are decided. */
static const Group *choose_group(const Classes *c, const Span *fixed) {
  const Group *best = NULL;
  double most = 0;
  for (int i = 0; i < c->count; i++) {
    Span with = *fixed;
    const int open = span_add_group(&with, &c->group[i]);
    const int others = count_rows(&c->group[i]) - 1;
    const double score = (double)c->group[i].weight * others / (double)(INT64_C(1) << (3 * open));
    if (open == 0 || score <= most) continue;
    best = &c->group[i];
    most = score;
  }
  return best;
}

/* How far apart a row and row 0 start among the banks, in elements. */
static int32_t distance(const MapSpace *s, int row) {
  const AccessSet *set = s->classes->set;
  const int32_t period = set->banks.count * set->banks.bytes / set->tile->dtype->bytes;
  const int32_t at = period > 0 ? s->rows->base[row] % period : 0;
  return at < period - at ? at : period - at;
}

/* The row of a group to fix next: rows that share banks with row 0 are soonest in conflict. -1 if
 * all are fixed. */
static int choose_row(const MapSpace *s, const Group *g, const Span *fixed) {
  int best = -1;
  for (int i = 0; i < g->lanes; i++)
    if (span_rest(fixed, (unsigned)g->row[i]) &&
        (best < 0 || distance(s, g->row[i]) < distance(s, best)))
      best = g->row[i];
  return best;
}

static void basis_add(RowBasis *basis, Span *fixed, int row) {
  span_add(fixed, (unsigned)row);
  basis->row[basis->count++] = (unsigned)row;
}

static RowBasis choose_basis(const MapSpace *s) {
  RowBasis basis = {0};
  Span fixed = {0};
  for (const Group *g; (g = choose_group(s->classes, &fixed));)
    for (int row; (row = choose_row(s, g, &fixed)) >= 0;) basis_add(&basis, &fixed, row);
  for (int b = 0; b < s->rows->row_bits; b++)
    if (span_rest(&fixed, 1u << b)) basis_add(&basis, &fixed, 1 << b);
  return basis;
}

/* number[row]: the bits of the basis whose sum is the row. */
static int *number_rows(Arena *a, const RowBasis *basis) {
  int *number = ARENA_ARRAY(a, int, (size_t)1 << basis->count);
  for (int n = 0; n < 1 << basis->count; n++) {
    unsigned row = 0;
    for (int i = 0; i < basis->count; i++) row ^= n >> i & 1 ? basis->row[i] : 0;
    number[row] = n;
  }
  return number;
}

static Rows *renumber_rows(Arena *a, const Rows *r, const int *number) {
  const size_t rows = (size_t)1 << r->row_bits;
  Rows *out = ARENA_NEW(a, Rows);
  int32_t *unit = ARENA_ARRAY(a, int32_t, rows);
  *out = *r;
  out->base = ARENA_ARRAY(a, int32_t, rows);
  out->x = ARENA_ARRAY(a, int32_t, rows);
  for (size_t row = 0; row < rows; row++) {
    out->base[number[row]] = r->base[row];
    unit[number[row]] = r->unit[row];
  }
  out->unit = unit;
  return out;
}

/* Lanes keep their order within a row. */
static void renumber_group(Group *out, const Group *g, const int *number) {
  for (int i = 0; i < g->lanes; i++) {
    const int row = number[g->row[i]];
    int at = i;
    for (; at > 0 && out->row[at - 1] > row; at--) {
      out->row[at] = out->row[at - 1];
      out->col[at] = out->col[at - 1];
    }
    out->row[at] = row;
    out->col[at] = g->col[i];
  }
}

MapSpace order_rows(Arena *a, const MapSpace *space, RowBasis *basis) {
  const Classes *c = space->classes;
  *basis = choose_basis(space);
  const int *number = number_rows(a, basis);
  Classes *out = ARENA_NEW(a, Classes);
  *out = *c;
  out->group = ARENA_ARRAY(a, Group, (size_t)c->count);
  memcpy(out->group, c->group, (size_t)c->count * sizeof *c->group);
  for (int i = 0; i < c->count; i++) renumber_group(&out->group[i], &c->group[i], number);
  MapSpace ordered = *space;
  ordered.classes = out;
  ordered.rows = renumber_rows(a, space->rows, number);
  return ordered;
}

Map order_undo(const Map *m, const RowBasis *basis) {
  Map out = {.total = m->total};
  const int rows = 1 << basis->count;
  for (int n = 1; n < rows; n++) {
    unsigned row = 0, image = 0;
    for (int i = 0; i < basis->count; i++) {
      row ^= n >> i & 1 ? basis->row[i] : 0;
      image ^= n >> i & 1 ? m->column[i] : 0;
    }
    if ((row & (row - 1)) == 0) out.column[__builtin_ctz(row)] = image;
  }
  return out;
}
