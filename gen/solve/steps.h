/* steps.h: part of stage 4. Bounds of partial maps: what the image of each row bit adds to the
 * costs of the groups that it moves. */
#ifndef KGEN_STEPS_H
#define KGEN_STEPS_H

#include "solve/swizzle.h"

typedef struct Step Step;

typedef struct {
  const MapSpace *space;
  Effort *effort;
  Step *step;                          /* by level, heavy groups first */
  int first[SWIZZLE_MAX_ROW_BITS + 1]; /* of a level's steps */
  int *cost;     /* [class], then [step]: of the lanes placed so far, at least the floor */
  int64_t start; /* what row 0 alone costs, and all floors: weighted, in thousandths */
} Steps;

/* The steps of all levels; row 0 has its place. */
Steps steps_new(Arena *a, const MapSpace *space, Effort *e);

/* `total`, the bound before row bit `level` was given its image, and what that adds to groups which
 * no level below `from` moves. More than `most` as soon as that is passed. */
int64_t steps_bound(Steps *s, int level, int from, int64_t total, int64_t most);

#endif
