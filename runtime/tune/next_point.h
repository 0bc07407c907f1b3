/* SPDX-License-Identifier: MIT */
/* next_point.h: selects the next point to measure. */
#ifndef KGEN_TUNE_NEXT_POINT_H
#define KGEN_TUNE_NEXT_POINT_H

#include "tune/space.h"

/* The state of a point. */
typedef enum {
  POINT_OPEN,
  POINT_GIVEN,
  POINT_COMPILED,
  POINT_MEASURED,
  POINT_INVALID,
  POINT_PRUNED
} PointState;

typedef struct {
  PointState state;
  double value; /* once measured: milliseconds, or counts per unit of work */
} Mark;

/* The most promising point in `state`; -1 if there is none. Uses the effects once some points are
 * measured. Every fourth point is selected by the model alone, so that the search does not get
 * stuck. */
int next_point(const Space *s, const Mark *mark, PointState state, int shard, int shards, int turn);

#endif
