#include "solve/swizzle.h"

#include <stdlib.h>
#include <string.h>

/* True if every row starts at a whole word, so that no word holds elements of two rows. */
static bool rows_are_words(const Classes *c, const Rows *r) {
  const int bytes = c->set->tile->dtype->bytes;
  for (int row = 0; row < c->rows; row++)
    if ((int64_t)r->base[row] * bytes % c->set->banks.bytes) return false;
  return true;
}

/* Column bits below the width's lowest set bit keep elements in their row; bits inside a piece
 * would tear it. Of these, banks do not see the ones inside a word or beyond the bank period, where
 * rows are whole words. */
static unsigned visible_bits(const Classes *c, const Rows *r) {
  const int bytes = c->set->tile->dtype->bytes;
  const unsigned inside = (unsigned)c->col_limit - 1;
  unsigned bits = inside, smallest = (unsigned)r->unit[0];
  for (int row = 0; row < c->rows; row++)
    if ((unsigned)r->unit[row] < smallest) smallest = (unsigned)r->unit[row];
  bits &= ~(smallest - 1);
  const int count = c->set->banks.count;
  if (!rows_are_words(c, r) || (count & (count - 1))) return bits;
  const int word = c->set->banks.bytes > bytes ? c->set->banks.bytes / bytes : 1;
  const int period = count * c->set->banks.bytes / bytes;
  return bits & ~((unsigned)word - 1) & ((unsigned)period - 1);
}

MapSpace swizzle_space(const Classes *classes, const Rows *rows, bool linear) {
  MapSpace s = {.classes = classes, .rows = rows, .linear = linear};
  s.col_bits = visible_bits(classes, rows);
  return s;
}

bool swizzle_tears(const MapSpace *s) { return s->col_bits & ((unsigned)s->rows->max_unit - 1); }

bool swizzle_linear(const AccessSet *set, const Rows *r, int cols) {
  const int64_t bytes = set->tile->dtype->bytes;
  const int64_t period = (int64_t)set->banks.count * set->banks.bytes;
  if (period & (period - 1)) return false;
  int64_t inside = 1;
  while (inside < cols * bytes) inside *= 2;
  const int64_t seen = inside < set->banks.bytes ? -1 : period - 1;
  for (int row = 0; row < 1 << r->row_bits; row++) {
    int64_t sum = 0;
    for (int left = row; left; left &= left - 1) sum ^= r->base[left & -left] * bytes;
    if ((sum ^ r->base[row] * bytes) & seen) return false;
    if (r->base[row] * bytes & (inside - 1)) return false;
  }
  return true;
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

bool swizzle_terms(const MapSpace *s, const Map *m, KgenLayout *l) {
  l->terms = 0;
  for (int shift = -30; shift < s->rows->row_bits; shift++) {
    const unsigned mask = diagonal(s, m, shift);
    if (mask == 0) continue;
    if (l->terms == KGEN_MAX_TERMS) return false;
    l->term[l->terms++] = (KgenTerm){shift, (int)mask};
  }
  return true;
}

unsigned swizzle_reachable(const MapSpace *s, int shift) {
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

TermList swizzle_single_terms(Arena *a, const MapSpace *s) {
  int count = 0;
  for (int shift = -30; shift < s->rows->row_bits; shift++)
    count += (1 << __builtin_popcount(swizzle_reachable(s, shift))) - 1;
  KgenTerm *term = ARENA_ARRAY(a, KgenTerm, (size_t)count + 1);
  int n = 0;
  for (int shift = -30; shift < s->rows->row_bits; shift++) {
    const unsigned bits = swizzle_reachable(s, shift);
    for (unsigned mask = bits; mask; mask = (mask - 1) & bits)
      term[n++] = (KgenTerm){shift, (int)mask};
  }
  qsort(term, (size_t)n, sizeof term[0], by_price);
  return (TermList){n, term};
}

int64_t swizzle_cost(const MapSpace *s, int64_t enough, Effort *e, int *culprit) {
  const Classes *c = s->classes;
  const Placement p = {c, s->rows->base, s->rows->x};
  int64_t total = c->floor;
  *culprit = -1;
  for (int i = 0; i < c->count && total < enough; i++) {
    const Group *g = &c->group[i];
    e->groups++;
    const int over = group_cost(&p, g, g->lanes) - g->floor;
    if (over > 0 && (*culprit < 0 || total + over * g->weight >= enough)) *culprit = i;
    total += over * g->weight;
  }
  return total;
}

bool swizzle_try_term(const MapSpace *s, const KgenTerm *t) {
  const KgenLayout l = {.terms = t ? 1 : 0, .term = {t ? *t : (KgenTerm){0, 0}}};
  for (int row = 0; row < 1 << s->rows->row_bits; row++) {
    s->rows->x[row] = kgen_swizzle(&l, row);
    if (row < s->classes->rows && s->rows->x[row] % s->rows->unit[row]) return false;
  }
  return true;
}
