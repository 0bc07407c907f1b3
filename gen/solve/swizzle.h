/* swizzle.h: part of stage 4. XOR maps at one set of strides: F2-linear maps of row bits into
 * column bits. */
#ifndef KGEN_SWIZZLE_H
#define KGEN_SWIZZLE_H

#include "solve/group.h"
#include "solve/strides.h"

enum { SWIZZLE_MAX_ROW_BITS = 20 };

/* The maps that can make a difference, as entries (row bit r -> column bit c); a term of shift s is
 * the diagonal r = c + s. */
typedef struct {
  const Classes *classes;
  const Rows *rows;
  unsigned col_bits; /* column bits that may be changed and that banks see */
  bool linear;       /* bank and word are linear over F2 in row and column bits: classes are
                        CLASS_XOR */
  bool parts; /* lanes that agree in all higher row bits are bounded as soon as the lower ones
                 are placed */
  bool deep;  /* bounds are worth an effort */
} MapSpace;

/* Bank and word of an address are linear over F2 in row bits and column bits: row starts are,
 * modulo the bank period or, where rows share words, altogether; and rows leave room for every
 * column of as many bits, so that no carry runs between the two and no two elements meet. */
bool swizzle_linear(const AccessSet *set, const Rows *r, int cols);

MapSpace swizzle_space(const Classes *classes, const Rows *rows, bool linear);
/* The column bits that a term of that shift can reach: those fed by a row bit of the tile. */
unsigned swizzle_reachable(const MapSpace *s, int shift);
/* Whether some map breaks a row's units: rows keep pieces of different lengths. */
bool swizzle_tears(const MapSpace *s);

/* One map: column[r] is what row bit r XORs into the column. */
typedef struct {
  unsigned column[SWIZZLE_MAX_ROW_BITS];
  int64_t total; /* weighted wavefronts, in thousandths */
} Map;

/* The map's terms, one a diagonal, in the order of their shifts. False if there are more than
 * KGEN_MAX_TERMS. */
bool swizzle_terms(const MapSpace *s, const Map *m, KgenLayout *l);

typedef struct Memo Memo; /* memo.h */

/* What the search at all strides of a tile may spend, and has spent. */
typedef struct {
  int64_t nodes, limit;              /* partial maps */
  int64_t groups, group_limit;       /* groups whose cost was computed: what takes the time */
  int64_t first_nodes, first_groups; /* what one search may spend before it is begun anew with
                                        stronger bounds */
  Memo *memo;                        /* what was searched already */
  bool complete;                     /* false: the last search stopped at a limit */
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

#endif
