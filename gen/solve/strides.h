/* SPDX-License-Identifier: MIT */
/* strides.h: every way to pad a tile, fewest bytes first. */
#ifndef KGEN_SOLVE_STRIDES_H
#define KGEN_SOLVE_STRIDES_H

#include "model/layout.h"

enum { STRIDES_PERIODS = 31 };

typedef struct {
  KgenLayout plain, at;        /* `at`: where the walk stands; no terms */
  int64_t elements;            /* that the tile may occupy */
  int pads[KGEN_MAX_RANK - 1]; /* of each stride; 1: nothing is added to what it steps over */
  int multiple[KGEN_MAX_RANK - 1];
  int64_t most[KGEN_MAX_RANK]; /* of each stride */
  int pad[STRIDES_PERIODS];    /* rank 1: the next of each period */
} StridesWalk;

/* A walk over every padding that can matter, the plain layout first: bank costs depend on each
 * stride modulo the bank period only (docs/explanation/layouts-and-banks.md, "Bank rules"), so
 * larger pads repeat smaller ones. A rank-1 tile also has every power of two below its size as a
 * period. Of equally many bytes, no period comes before long ones before short ones, and small
 * outer pads before large ones. multiple: what each stride is a multiple of, in elements; the
 * others are left out. */
StridesWalk strides_begin(const AccessSet *set, bool pads, const int multiple[KGEN_MAX_RANK - 1]);
/* Goes to the first padding, then to the next. False if there is none left. */
bool strides_next(StridesWalk *w);

#endif
