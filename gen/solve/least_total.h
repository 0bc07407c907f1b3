/* least_total.h: part of stage 4. The map of the fewest wavefronts at one set of strides, or the
 * cheapest map of as many: branch and bound over the images of the row bits. */
#ifndef KGEN_LEAST_TOTAL_H
#define KGEN_LEAST_TOTAL_H

#include "solve/pairs.h"

/* The map of the fewest wavefronts below `below`. If the budget ends, the best until then. */
MapSearch total_fewest(const MapSpace *s, int64_t below, Budget *b);

/* What a map may cost: wavefronts at most, and fewer terms, or as many and fewer mask bits. */
typedef struct {
  int64_t total;
  int terms, bits;
} Price;

/* The map of fewest terms (2 or more), then fewest mask bits, within that price. */
MapSearch total_cheapest(const MapSpace *s, const Price *price, Budget *b);

#endif
