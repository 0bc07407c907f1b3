/* order.h: part of stage 4. The order in which a search fixes a map: first the rows that decide
 * many groups, so that bad maps are left early. */
#ifndef KGEN_ORDER_H
#define KGEN_ORDER_H

#include "solve/swizzle.h"

/* A basis of row numbers over F2. A map is as well given by its images as by those of row bits. */
typedef struct {
  int count;
  unsigned row[SWIZZLE_MAX_ROW_BITS];
} RowBasis;

/* The same space with rows renumbered: bit i of a new number stands for basis->row[i]. */
MapSpace order_rows(Arena *a, const MapSpace *space, RowBasis *basis);
/* A map of the renumbered space as one of the original. */
Map order_undo(const Map *m, const RowBasis *basis);

#endif
