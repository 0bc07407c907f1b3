/* pairs.h: part of stage 4. Whether a map keeps apart all lanes that must not share a bank, where
 * rows are aligned: then two lanes forbid some values of X(r1) ^ X(r2) = X(r1 ^ r2), whatever else
 * the map does, and the pairs of all groups collapse into one mask a row difference. */
#ifndef KGEN_PAIRS_H
#define KGEN_PAIRS_H

#include "solve/budget.h"
#include "solve/maps.h"

/* What a search found and what it took. */
typedef struct {
  bool found, complete; /* complete: the map was found, or there is none */
  int64_t nodes;        /* partial maps looked at, a refused one standing for all its extensions */
  Map map;
} MapSearch;

/* Whether pairs decide: rows are aligned, and each group's floor is one wavefront. */
bool pairs_decide(const MapSpace *s);
/* A map under which every group of the space costs one wavefront. */
MapSearch pairs_search(Arena *a, const MapSpace *s, Budget *b);

#endif
