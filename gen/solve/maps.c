/* SPDX-License-Identifier: MIT */
#include "solve/maps.h"

#include <stdlib.h>

#include "base/number.h"
#include "model/address.h"

/* --- what maps there are --- */

/* What a copy past L1 costs depends on lines of 128 bytes, not on banks. */
static bool lines_matter(const AccessSet *set) {
  for (int i = 0; i < set->accesses; i++)
    if (set->access[i].op == OP_CP_ASYNC && set->access[i].cache == COPY_CG) return true;
  return false;
}

/* The column bits that a map may change and that change a bank. Changing bits below the width's
 * lowest set bit keeps elements in their row; bits inside a piece would split it. Bits inside a
 * word change no bank, nor do bits beyond the bank period where no word holds elements of
 * two rows. */
static unsigned visible_bits(const Classes *c, const Rows *r) {
  const int bytes = c->set->tile->dtype->bytes, count = c->set->banks.count;
  const int64_t starts = (int64_t)rows_start_bits(r) * bytes | c->set->banks.bytes;
  const int64_t aligned = starts & -starts; /* bytes, at most a word: all rows start at multiples */
  unsigned bits = ((unsigned)c->col_limit - 1) & ~((unsigned)r->min_unit - 1);
  if (aligned > bytes) bits &= ~((unsigned)(aligned / bytes) - 1);
  if (aligned < c->set->banks.bytes || !number_is_power(count) || lines_matter(c->set)) return bits;
  return bits & ((unsigned)(count * c->set->banks.bytes / bytes) - 1);
}

MapSpace maps_space(Classes *classes, const Rows *rows) {
  return (MapSpace){classes, rows, visible_bits(classes, rows)};
}

bool maps_are_linear(const AccessSet *set, const Rows *r, int cols) {
  const int64_t bytes = set->tile->dtype->bytes;
  const int64_t period = (int64_t)set->banks.count * set->banks.bytes;
  int64_t room = 1;
  while (room < cols * bytes) room *= 2;
  const int64_t seen = room < set->banks.bytes || lines_matter(set) ? -1 : period - 1;
  if (!number_is_power(period)) return false;
  for (int row = 0; row < 1 << r->row_bits; row++) {
    int64_t sum = rows_start(r, row) * bytes;
    if (sum & (room - 1)) return false;
    for (int left = row; left; left &= left - 1) sum ^= rows_start(r, left & -left) * bytes;
    if (sum & seen) return false;
  }
  return true;
}

bool maps_can_tear(const MapSpace *s) {
  return !s->rows->spread && s->col_bits & ((unsigned)s->rows->max_unit - 1);
}

bool maps_tears(const MapSpace *s, const KgenLayout *l) {
  for (int row = 0; maps_can_tear(s) && row < s->rows->rows; row++)
    if (layout_swizzle(l, row) % s->rows->unit[row]) return true;
  return false;
}

/* --- maps and terms --- */

Map maps_of_layout(const KgenLayout *l, int row_bits) {
  Map m = {.total = 0};
  for (int r = 0; r < row_bits; r++) m.column[r] = (unsigned)layout_swizzle(l, 1 << r);
  return m;
}

bool maps_terms(const MapSpace *s, const Map *m, KgenLayout *l) {
  l->terms = 0;
  for (int shift = -30; shift < s->rows->row_bits; shift++) {
    unsigned mask = 0;
    for (int r = shift > 0 ? shift : 0; r < s->rows->row_bits && r - shift < 31; r++)
      mask |= m->column[r] & 1u << (r - shift);
    if (mask == 0) continue;
    if (l->terms == KGEN_MAX_TERMS) return false;
    l->term[l->terms++] = (KgenTerm){.shift = shift, .mask = (int)mask};
  }
  return true;
}

/* The column bits that a term of that shift can reach: those fed by a row bit of the tile. */
static unsigned reachable_bits(const MapSpace *s, int shift) {
  const uint64_t row_bits = (UINT64_C(1) << s->rows->row_bits) - 1;
  return s->col_bits & (unsigned)(shift < 0 ? row_bits << -shift : row_bits >> shift);
}

int maps_compare_terms(const void *px, const void *py) {
  const PricedTerm *x = px, *y = py;
  const int far_x = 2 * abs(x->term.shift) - (x->term.shift > 0);
  const int far_y = 2 * abs(y->term.shift) - (y->term.shift > 0);
  if (x->operations != y->operations) return x->operations - y->operations;
  if (x->bits != y->bits) return x->bits - y->bits;
  if (far_x != far_y) return far_x - far_y;
  if (x->term.source != y->term.source) return x->term.source - y->term.source;
  if (x->term.target != y->term.target) return x->term.target - y->term.target;
  return x->term.mask - y->term.mask;
}

TermList maps_single_terms(Arena *a, const MapSpace *s, const KgenLayout *strides) {
  PricedTerm *term = NULL;
  KgenLayout l = *strides;
  int count = 0, capacity = 0;
  l.terms = 1;
  for (int shift = -30; shift <= 30; shift++) {
    const unsigned reach = reachable_bits(s, shift);
    for (unsigned mask = reach & -reach; mask; mask = (mask - reach) & reach) {
      l.term[0] = (KgenTerm){.shift = shift, .mask = (int)mask};
      term = arena_grow(a, term, count, &capacity, sizeof *term);
      term[count++] = (PricedTerm){l.term[0], address_operations(&l), __builtin_popcount(mask)};
    }
  }
  if (count) qsort(term, (size_t)count, sizeof *term, maps_compare_terms);
  return (TermList){count, term};
}
