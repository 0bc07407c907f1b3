/* SPDX-License-Identifier: MIT */
/* lane_runs.h: a compact form of the lane groups of an access: the groups of all its instructions,
 * merged if they are translations of each other. */
#ifndef KGEN_EMIT_LANE_RUNS_H
#define KGEN_EMIT_LANE_RUNS_H

#include "emit/plan.h"

/* Elements first, first + step, ..., by row-major index. */
typedef struct {
  int first, count, step;
} LaneRun;

/* The elements of one group, and the grid of translations at which it occurs: count[0] x count[1]
 * of them, step[0] and step[1] apart. */
typedef struct {
  int count[2], step[2];
  int runs;
  LaneRun run[WARP];
} LaneGroup;

/* Lists each group of an access once. Returns their number; 0 if there are more than `room`. Lanes
 * that share an element count once. */
int lane_runs_collect(Arena *a, const PlanTile *t, int access, int room, LaneGroup *out);

#endif
