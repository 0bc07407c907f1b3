/* search.h: part of stage 4. The search over XOR maps at one set of strides, complete unless it
 * reports otherwise. */
#ifndef KGEN_SEARCH_H
#define KGEN_SEARCH_H

#include "solve/swizzle.h"

/* The map of the fewest wavefronts below `below`. False if there is none. */
bool search_fewest(const MapSpace *s, int64_t below, Effort *e, Map *best);

/* What a map may cost: wavefronts at most, and fewer terms, or as many and fewer mask bits. */
typedef struct {
  int64_t total;
  int terms, bits;
} Price;

/* The map of fewest terms (2 or more), then fewest mask bits, within that price. False if there is
 * none. */
bool search_cheapest(const MapSpace *s, const Price *price, Effort *e, Map *best);

#endif
