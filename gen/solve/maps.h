/* SPDX-License-Identifier: MIT */
/* maps.h: XOR maps at one set of strides: F2-linear maps of row bits into column bits. */
#ifndef KGEN_SOLVE_MAPS_H
#define KGEN_SOLVE_MAPS_H

#include "solve/lane_groups.h"

enum { MAPS_ROW_BITS = 20 };

/* The maps that change a bank, as matrices over F2 with entries (row bit r, column bit c); a term
 * of shift s is the diagonal r = c + s. */
typedef struct {
  Classes *classes;
  const Rows *rows;
  unsigned col_bits; /* column bits that may be changed and that banks see */
} MapSpace;

MapSpace maps_space(Classes *classes, const Rows *rows);
/* Whether bank and word of an address are linear over F2 in row and column bits, so that groups
 * that differ by an XOR cost the same: rows leave room for every column of as many bits, without a
 * carry, and their starts are linear, modulo the bank period or, where rows share words,
 * altogether. */
bool maps_are_linear(const AccessSet *set, const Rows *r, int cols);

/* One map: column[r] is what row bit r XORs into the column. */
typedef struct {
  unsigned column[MAPS_ROW_BITS];
  int64_t total; /* weighted wavefronts, in thousandths */
} Map;

/* X(row). */
static inline int32_t maps_image(const Map *m, int32_t row) {
  unsigned x = 0;
  for (uint32_t left = (uint32_t)row; left; left &= left - 1) x ^= m->column[__builtin_ctz(left)];
  return (int32_t)x;
}
/* maps_can_tear: whether any map at these strides splits pieces, since rows keep pieces of
 * different lengths; maps_tears: whether this layout's does. */
bool maps_can_tear(const MapSpace *s);
bool maps_tears(const MapSpace *s, const KgenLayout *l);
/* The map's terms, one a diagonal, in the order of their shifts. False if there are more than
 * KGEN_MAX_TERMS. */
bool maps_terms(const MapSpace *s, const Map *m, KgenLayout *l);
/* The map of a layout's terms. */
Map maps_of_layout(const KgenLayout *l, int row_bits);

/* All single terms of a layout with these strides, cheapest first: fewest operations, then fewest
 * mask bits. */
typedef struct {
  KgenTerm term;
  int operations, bits;
} PricedTerm;
typedef struct {
  int count;
  const PricedTerm *term;
} TermList;
TermList maps_single_terms(Arena *a, const MapSpace *s, const KgenLayout *strides);
/* For qsort(): by price, then in an order that is the same everywhere. */
int maps_compare_terms(const void *x, const void *y);

#endif
