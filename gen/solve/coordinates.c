/* SPDX-License-Identifier: MIT */
#include "solve/coordinates.h"

#include <stdlib.h>

#include "base/number.h"
#include "model/address.h"

/* --- the space --- */

static int coordinate_zeros(const Tile *t, int dim) {
  return __builtin_ctz((unsigned)t->extent[dim]);
}

/* True if every index bit belongs to one coordinate, except those of the outermost one. */
static bool index_is_coordinates(const Tile *t) {
  for (int d = 1; d < t->rank; d++)
    if (!number_is_power(t->extent[d])) return false;
  return true;
}

/* Changing bit j of a coordinate moves an element by an odd multiple of what the bit steps over, so
 * that it changes no bank if that is a multiple of the bank period. */
Reach coordinates_space(const AccessSet *set, int unit, CoordinateSpace *out) {
  const Tile *t = set->tile;
  const int bytes = t->dtype->bytes, period = set->banks.count * set->banks.bytes / bytes;
  const int last = t->rank - 1, own = coordinate_zeros(t, last);
  const int word = set->banks.bytes > bytes ? set->banks.bytes / bytes : 1;
  const int whole = number_log2(unit), words = number_log2(unit > word ? unit : word);
  const int bits = rows_coordinate_bits(t, 0) + rows_coordinate_base(t, 0);
  *out = (CoordinateSpace){.low = words <= own ? words : whole};
  if (index_is_coordinates(t)) return REACH_NOTHING;
  if (!number_is_power(period) || whole > own || bits - out->low > MAPS_ROW_BITS)
    return REACH_UNKNOWN;
  for (int d = last, place = 0; d >= 0; place += coordinate_zeros(t, d--))
    for (int j = d == last ? out->low : 0; j < coordinate_zeros(t, d); j++)
      if (1 << (place + j) < period) {
        out->target[out->targets++] = rows_coordinate_base(t, d) + j;
        out->of_last += d == last;
      }
  return out->targets ? REACH_ALL : REACH_NOTHING;
}

Rows coordinates_rows(Arena *a, const AccessSet *set, const CoordinateSpace *s, unsigned *bits) {
  const bool columns = s->of_last == s->targets;
  const int low = columns ? coordinate_zeros(set->tile, set->tile->rank - 1) : s->low;
  Rows rows = rows_of_coordinates(a, set, low, columns ? 0 : s->targets, s->target);
  rows.own = columns ? 0 : (1u << s->of_last) - 1;
  rows.min_unit = 1 << s->low;
  *bits = ((1u << s->targets) - 1) << (columns ? s->low : 0);
  return rows;
}

/* --- maps and terms --- */

/* The bits of all coordinates side by side that an image changes. */
static int changed_bits(const Rows *r, unsigned image) {
  return r->spread ? r->spread[image] << r->low : (int)image;
}

bool coordinates_layout(const MapSpace *s, const Map *m, KgenLayout *out) {
  const Tile *t = s->classes->set->tile;
  const int last = t->rank - 1;
  *out = layout_plain(t);
  for (int from = 0; from < t->rank; from++)
    for (int to = 0; to < t->rank; to++) {
      const int from_base = rows_coordinate_base(t, from), to_base = rows_coordinate_base(t, to);
      const int bits = rows_coordinate_bits(t, from), most = rows_coordinate_bits(t, to);
      for (int shift = 1 - most; shift < bits; shift++) {
        int mask = 0;
        for (int i = shift > 0 ? shift : 0; i < bits && i - shift < most; i++) {
          const int row = from_base + i - s->rows->low;
          if (row >= 0 && changed_bits(s->rows, m->column[row]) >> (to_base + i - shift) & 1)
            mask |= 1 << (i - shift);
        }
        if (mask == 0) continue;
        if (out->terms == KGEN_MAX_TERMS) return false;
        out->term[out->terms++] = (KgenTerm){
            .shift = shift,
            .mask = mask,
            .source = t->rank == 2 && from == 0 && to == last ? KGEN_ROW : KGEN_COORD + from,
            .target = to == last ? 0 : 1 + to};
      }
    }
  return true;
}

Map coordinates_of_term(const MapSpace *s, KgenTerm term) {
  const Tile *t = s->classes->set->tile;
  const Rows *r = s->rows;
  const int from = term.source == KGEN_ROW ? 0 : term.source - KGEN_COORD;
  const int base = rows_coordinate_base(t, term.target ? term.target - 1 : t->rank - 1);
  Map m = {.total = 0};
  for (int row = 0; row < r->row_bits; row++) {
    const int i = row + r->low - rows_coordinate_base(t, from);
    if (i < 0 || i >= rows_coordinate_bits(t, from)) continue;
    const int change = (i < term.shift ? 0 : 1 << (i - term.shift) & term.mask) << base;
    if (!r->spread) m.column[row] = (unsigned)change;
    for (unsigned v = 1; r->spread && v <= s->col_bits; v *= 2)
      if (changed_bits(r, v) & change) m.column[row] |= v;
  }
  return m;
}

TermList coordinates_terms(Arena *a, const MapSpace *s) {
  const Tile *t = s->classes->set->tile;
  const int last = t->rank - 1, all = changed_bits(s->rows, s->col_bits);
  int count = 0, capacity = 0;
  KgenLayout l = layout_plain(t);
  PricedTerm *term = NULL;
  l.terms = 1;
  for (int from = 0; from < t->rank; from++)
    for (int to = 0; to < t->rank; to++) {
      const int bits = rows_coordinate_bits(t, from);
      const int top = all >> rows_coordinate_base(t, to) & ((1 << rows_coordinate_bits(t, to)) - 1);
      const int low = from == last ? s->rows->low : 0; /* bits that stay in place are not read */
      for (int shift = -30; shift < bits; shift++) {
        const int64_t source = (((INT64_C(1) << bits) - 1) >> low) << low;
        const int reach = top & (int)(shift < 0 ? source << -shift : source >> shift);
        if (from == to && shift <= 0) continue;
        for (int mask = reach & -reach; mask; mask = (mask - reach) & reach) {
          l.term[0] = (KgenTerm){
              .shift = shift,
              .mask = mask,
              .source = t->rank == 2 && from == 0 && to == last ? KGEN_ROW : KGEN_COORD + from,
              .target = to == last ? 0 : 1 + to};
          term = arena_grow(a, term, count, &capacity, sizeof *term);
          term[count++] =
              (PricedTerm){l.term[0], address_operations(&l), __builtin_popcount((unsigned)mask)};
        }
      }
    }
  if (count) qsort(term, (size_t)count, sizeof *term, maps_compare_terms);
  return (TermList){count, term};
}
