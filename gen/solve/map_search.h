/* map_search.h: part of stage 4. XOR maps at one set of strides that cost at most so many
 * wavefronts: whether there is one, which costs the fewest, which is the cheapest to compute. Row
 * bits are given their images one after the other. */
#ifndef KGEN_MAP_SEARCH_H
#define KGEN_MAP_SEARCH_H

#include "solve/total.h"

/* What a search found and what it took. */
typedef struct {
  bool found, complete; /* complete: that is all there is to find */
  int64_t nodes;        /* partial maps looked at, a refused one standing for all its extensions */
  Map map;
} MapSearch;

/* The map of fewest wavefronts, at most `most`; of those of at most `least` any. If the budget
 * ends, the best until then. */
MapSearch map_search_least(const MapSpace *s, int64_t least, int64_t most, Budget *b);

/* What a map may cost: wavefronts at most, and fewer terms, or as many and at most so many mask
 * bits. */
typedef struct {
  int64_t total;
  int terms, bits;
} MapPrice;

/* The map of fewest terms (2 or more), then fewest mask bits, within that price. */
MapSearch map_search_cheapest(const MapSpace *s, const MapPrice *price, Budget *b);

#endif
