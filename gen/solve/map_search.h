/* map_search.h: part of stage 4. Whether some map of a space costs at most so many wavefronts. Row
 * differences are given their images one after the other, and each that is placed halves the rows
 * that are still told apart: rows that differ by it are one from then on. */
#ifndef KGEN_MAP_SEARCH_H
#define KGEN_MAP_SEARCH_H

#include "solve/suspects.h"

enum { ANY_BITS = INT16_MAX };

/* What a map is to be. */
typedef struct {
  int64_t most;            /* wavefronts at most, weighted, in thousandths */
  int64_t least;           /* of more than so many it is to be the map of the fewest */
  const unsigned *allowed; /* [row bit] column bits that it may change; NULL: all */
  int bits;                /* mask bits at most, or ANY_BITS */
} MapQuery;

/* What a search found and what it took. */
typedef struct {
  bool found, complete; /* complete: that is all there is to find */
  int64_t nodes;        /* partial maps looked at, a refused one standing for all its extensions */
  Map map;
} MapSearch;

/* A map of that kind for the first `asked` of the suspects; the others count as their floors. */
MapSearch map_search(const MapSpace *s, const Suspects *suspects, int asked, const MapQuery *q,
                     Budget *b);

#endif
