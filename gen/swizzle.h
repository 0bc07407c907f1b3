/* swizzle.h: part of stage 4. The search over XOR maps at one set of strides: every F2-linear map
 * of row bits into column bits, complete unless it reports otherwise. */
#ifndef KGEN_SWIZZLE_H
#define KGEN_SWIZZLE_H

#include "group.h"
#include "strides.h"

enum { SWIZZLE_MAX_ROW_BITS = 20 };

/* The maps that can make a difference, as entries (row bit r -> column bit c); a term of shift s is
 * the diagonal r = c + s. */
typedef struct {
  const Classes *classes;
  const Rows *rows;
  unsigned col_bits; /* column bits that may be changed and that banks see */
} MapSpace;

MapSpace swizzle_space(const Classes *classes, const Rows *rows);

/* One map: column[r] is what row bit r XORs into the column. */
typedef struct {
  unsigned column[SWIZZLE_MAX_ROW_BITS];
  int64_t total; /* weighted wavefronts, in thousandths */
} Map;

/* The map's terms, one a diagonal, in the order of their shifts. False if there are more than
 * KGEN_MAX_TERMS. */
bool swizzle_terms(const MapSpace *s, const Map *m, KgenLayout *l);

/* What the search at all strides of a tile may spend, and has spent. */
typedef struct {
  int64_t nodes, limit;        /* partial maps */
  int64_t groups, group_limit; /* groups whose cost was computed: what takes the time */
  bool complete;               /* false: the last search stopped at a limit */
} Effort;

/* All single terms, cheapest first: fewest mask bits, then the smallest shift. */
typedef struct {
  int count;
  const KgenTerm *term;
} TermList;
TermList swizzle_single_terms(Arena *a, const MapSpace *s);

/* Weighted wavefronts, in thousandths, of the layout that s->rows describes. Stops at `enough`
 * and returns at least that; *culprit is the class that reached it, or the first one above its
 * floor, or -1. */
int64_t swizzle_cost(const MapSpace *s, int64_t enough, Effort *e, int *culprit);
/* Fills s->rows->x for one term (or for none: NULL). False if the term breaks a row's units. */
bool swizzle_try_term(const MapSpace *s, const KgenTerm *t);

/* The map of the fewest wavefronts below `below`. False if there is none. */
bool swizzle_search_cost(const MapSpace *s, int64_t below, Effort *e, Map *best);

/* Among maps of a total of at most `total`, the one of fewest terms (2 or more), then fewest mask
 * bits, that is cheaper than (terms, bits). False if there is none. */
bool swizzle_search_price(const MapSpace *s, int64_t total, int terms, int bits, Effort *e,
                          Map *best);

#endif
