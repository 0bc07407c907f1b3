/* best_map.h: part of stage 4. The best map at one set of strides: the one of fewest wavefronts,
 * and of those the one of fewest terms and mask bits. A few groups mostly decide, so each search
 * asks those that refused something before, and more of them whenever a map is found that serves
 * them but not all. */
#ifndef KGEN_BEST_MAP_H
#define KGEN_BEST_MAP_H

#include "solve/map_search.h"

/* Where maps are looked for. */
typedef struct {
  Suspects *groups;
  const MapSpace *space;
  Budget *budget;
} MapTask;

/* A map of at most so many wavefronts. */
MapSearch best_map_within(const MapTask *t, int64_t most);
/* The fewest wavefronts below `below`, none costing less than `least`. If the budget ends, the best
 * until then. */
MapSearch best_map_least(const MapTask *t, int64_t least, int64_t below);

/* What a map may cost: wavefronts at most, and fewer terms, or as many and fewer mask bits. */
typedef struct {
  int64_t total;
  int terms, bits;
} Price;

/* The map of fewest terms (2 or more), then fewest mask bits, within that price. */
MapSearch best_map_cheapest(const MapTask *t, const Price *price);

#endif
