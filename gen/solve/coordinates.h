/* SPDX-License-Identifier: MIT */
/* coordinates.h: XORs among the coordinates of an unpadded tile whose extents are not all powers of
 * two. The lowest z bits of each coordinate, 2^z dividing its extent, may be changed by all other
 * bits of all coordinates, unless a bit then depends on itself. */
#ifndef KGEN_SOLVE_COORDINATES_H
#define KGEN_SOLVE_COORDINATES_H

#include "solve/linear.h"

typedef struct {
  int low; /* bits of the last coordinate that stay in place, for vectors and words */
  int targets, target[16]; /* bits of all coordinates side by side that may be changed */
  int of_last;             /* the first ones: those in the last coordinate */
} CoordinateSpace;

/* unit: elements that stay whole. REACH_NOTHING if there is no bit that may be changed and that
 * banks see, or the XORs of the tile's index hold all of them. */
Reach coordinates_space(const AccessSet *set, int unit, CoordinateSpace *out);
/* Its rows, and the bits of their images. If only the last coordinate is changed, the bits that it
 * has to itself are columns. */
Rows coordinates_rows(Arena *a, const AccessSet *set, const CoordinateSpace *s, unsigned *bits);
/* A map as the terms of a layout. False if there are too many. */
bool coordinates_layout(const MapSpace *s, const Map *m, KgenLayout *out);
/* The map of one term. */
Map coordinates_of_term(const MapSpace *s, KgenTerm t);
/* All single terms, cheapest first. */
TermList coordinates_terms(Arena *a, const MapSpace *s);

#endif
