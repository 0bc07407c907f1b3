/* rows_search.h: part of stage 4. Whether a map serves a few groups at their floors, at any
 * strides: where columns carry into rows, two lanes forbid pairs of X(r1) and X(r2), so rows are
 * placed one after the other, always the one with the fewest images left, and each closes images of
 * the rows that its lanes' groups share. */
#ifndef KGEN_ROWS_SEARCH_H
#define KGEN_ROWS_SEARCH_H

#include "solve/pairs.h"

/* Whether it can be asked: the space does not tear, and a row has few images. */
bool rows_decide(const MapSpace *s);
/* A map under which every group of the space is at its floor. */
MapSearch rows_search(Arena *a, const MapSpace *s, Budget *b);

#endif
