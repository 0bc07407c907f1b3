#include "solve/maps.h"

#include <stdlib.h>
#include <string.h>

/* Bytes, at most a word: all rows start at multiples. XORs of fewer stay in one word. */
static int rows_alignment(const Classes *c, const Rows *r) {
  int64_t bits = c->set->banks.bytes;
  for (int row = 0; row < c->rows; row++)
    bits |= (int64_t)r->base[row] * c->set->tile->dtype->bytes;
  return (int)(bits & -bits);
}

/* A copy past L1 tells apart lines of 128 bytes, not banks. */
static bool lines_matter(const AccessSet *set) {
  for (int i = 0; i < set->accesses; i++)
    if (set->access[i].op == OP_CP_ASYNC && set->access[i].cache == COPY_CG) return true;
  return false;
}

/* Column bits below the width's lowest set bit keep elements in their row; bits inside a piece
 * would tear it. Of these, banks do not see the ones that stay inside a word, nor those beyond the
 * bank period, where no word holds elements of two rows. */
static unsigned visible_bits(const Classes *c, const Rows *r) {
  const int bytes = c->set->tile->dtype->bytes, count = c->set->banks.count;
  const int aligned = rows_alignment(c, r);
  unsigned bits = (unsigned)c->col_limit - 1, smallest = (unsigned)r->unit[0];
  for (int row = 0; row < c->rows; row++)
    if ((unsigned)r->unit[row] < smallest) smallest = (unsigned)r->unit[row];
  bits &= ~(smallest - 1);
  if (aligned > bytes) bits &= ~((unsigned)(aligned / bytes) - 1);
  if (aligned < c->set->banks.bytes || (count & (count - 1)) || lines_matter(c->set)) return bits;
  return bits & ((unsigned)(count * c->set->banks.bytes / bytes) - 1);
}

MapSpace maps_space(const Classes *classes, const Rows *rows) {
  return (MapSpace){classes, rows, visible_bits(classes, rows)};
}

bool maps_tear(const MapSpace *s) { return s->col_bits & ((unsigned)s->rows->max_unit - 1); }

/* Bytes that a row's columns fill, rounded up to a power of two. */
static int64_t room_of(int64_t cols, int bytes) {
  int64_t inside = 1;
  while (inside < cols * bytes) inside *= 2;
  return inside;
}

bool maps_are_linear(const AccessSet *set, const Rows *r, int cols) {
  const int64_t bytes = set->tile->dtype->bytes;
  const int64_t period = (int64_t)set->banks.count * set->banks.bytes;
  if (period & (period - 1)) return false;
  const int64_t inside = room_of(cols, (int)bytes);
  const int64_t seen = inside < set->banks.bytes || lines_matter(set) ? -1 : period - 1;
  for (int row = 0; row < 1 << r->row_bits; row++) {
    int64_t sum = 0;
    for (int left = row; left; left &= left - 1) sum ^= r->base[left & -left] * bytes;
    if ((sum ^ r->base[row] * bytes) & seen) return false;
    if (r->base[row] * bytes & (inside - 1)) return false;
  }
  return true;
}

bool maps_are_aligned(const MapSpace *s) {
  const Classes *c = s->classes;
  const int bytes = c->set->tile->dtype->bytes, count = c->set->banks.count * c->set->banks.bytes;
  const int64_t inside = room_of(c->cols, bytes);
  bool aligned = (count & (count - 1)) == 0;
  for (int row = 0; row < c->rows && aligned; row++)
    aligned = (s->rows->base[row] * bytes & (inside - 1)) == 0;
  return aligned;
}

bool maps_place(const MapSpace *s, const Map *m, int32_t *x) {
  x[0] = 0;
  for (int row = 1; row < 1 << s->rows->row_bits; row++)
    x[row] = x[row & (row - 1)] ^ (int32_t)m->column[__builtin_ctz((unsigned)row)];
  for (int row = 0; maps_tear(s) && row < s->classes->rows; row++)
    if (x[row] % s->rows->unit[row]) return false;
  return true;
}

Map maps_of_term(const MapSpace *s, KgenTerm term) {
  Map m = {.total = 0};
  for (int r = 0; r < s->rows->row_bits; r++) {
    const int c = r - term.shift;
    if (c >= 0 && c < 31) m.column[r] = (unsigned)term.mask & 1u << c;
  }
  return m;
}

/* The mask of diagonal `shift` within a map. */
static unsigned diagonal(const MapSpace *s, const Map *m, int shift) {
  unsigned mask = 0;
  for (int row_bit = 0; row_bit < s->rows->row_bits; row_bit++) {
    const int col_bit = row_bit - shift;
    if (col_bit >= 0 && col_bit < 31) mask |= m->column[row_bit] & 1u << col_bit;
  }
  return mask;
}

bool maps_terms(const MapSpace *s, const Map *m, KgenLayout *l) {
  l->terms = 0;
  for (int shift = -30; shift < s->rows->row_bits; shift++) {
    const unsigned mask = diagonal(s, m, shift);
    if (mask == 0) continue;
    if (l->terms == KGEN_MAX_TERMS) return false;
    l->term[l->terms++] = (KgenTerm){shift, (int)mask};
  }
  return true;
}

unsigned maps_reachable(const MapSpace *s, int shift) {
  unsigned bits = 0;
  for (int c = 0; c < 31; c++)
    if (s->col_bits >> c & 1 && c + shift >= 0 && c + shift < s->rows->row_bits) bits |= 1u << c;
  return bits;
}

static int by_price(const void *pa, const void *pb) {
  const KgenTerm *a = pa, *b = pb;
  const int x = __builtin_popcount((unsigned)a->mask), y = __builtin_popcount((unsigned)b->mask);
  if (x != y) return x - y;
  if (abs(a->shift) != abs(b->shift)) return abs(a->shift) - abs(b->shift);
  if (a->shift != b->shift) return b->shift - a->shift;
  return a->mask - b->mask;
}

TermList maps_single_terms(Arena *a, const MapSpace *s) {
  int count = 0;
  for (int shift = -30; shift < s->rows->row_bits; shift++)
    count += (1 << __builtin_popcount(maps_reachable(s, shift))) - 1;
  KgenTerm *term = ARENA_ARRAY(a, KgenTerm, (size_t)count + 1);
  int n = 0;
  for (int shift = -30; shift < s->rows->row_bits; shift++) {
    const unsigned bits = maps_reachable(s, shift);
    for (unsigned mask = bits; mask; mask = (mask - 1) & bits)
      term[n++] = (KgenTerm){shift, (int)mask};
  }
  qsort(term, (size_t)n, sizeof term[0], by_price);
  return (TermList){n, term};
}
