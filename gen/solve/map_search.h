/* SPDX-License-Identifier: MIT */
/* map_search.h: XOR maps at one set of strides that cost at most so many wavefronts: whether there
 * is one, which costs the fewest, which is the cheapest to compute. Row bits are given their images
 * one after the other. */
#ifndef KGEN_SOLVE_MAP_SEARCH_H
#define KGEN_SOLVE_MAP_SEARCH_H

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

/* The map of fewest terms (2 or more), then fewest mask bits, of at most `total` wavefronts and
 * fewer than `terms` terms, or as many and at most so many mask bits. */
MapSearch map_search_cheapest(const MapSpace *s, int64_t total, int terms, int bits, Budget *b);

#endif
