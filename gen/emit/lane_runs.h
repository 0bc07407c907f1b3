/* lane_runs.h: a compact form of the lane groups that the banks serve together: the groups of all
 * instructions of an access, merged where they are translations of each other. */
#ifndef KGEN_EMIT_LANE_RUNS_H
#define KGEN_EMIT_LANE_RUNS_H

#include "emit/plan.h"

/* Elements first, first + step, ..., by row-major index. */
typedef struct {
  int first, count, step;
} LaneRun;

/* One group's elements, and the grid of places that groups of this form stand at:
 * count[0] x count[1] of them, step[0] and step[1] apart. */
typedef struct {
  int count[2], step[2];
  int runs;
  LaneRun run[WARP];
} LaneGroup;

/* The groups of an access, every one of them once. Returns how many; 0 if there are more than
 * `room`. Lanes that share an element count once. */
int lane_runs_collect(Arena *a, const PlanTile *t, int access, int room, LaneGroup *out);

#endif
