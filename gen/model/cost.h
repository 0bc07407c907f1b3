/* cost.h: part of stage 4. What all accesses of a tile cost under one layout. */
#ifndef KGEN_COST_H
#define KGEN_COST_H

#include "model/layout.h"

/* Wavefronts of one access, over all its instructions, under one layout. */
typedef struct {
  int64_t wavefronts, ideal;
  int worst; /* of one lane group */
} AccessCost;

/* Weighted wavefronts in thousandths, and the cost of each access. */
int64_t cost_count(const AccessSet *set, const KgenLayout *l, AccessCost *cost);

/* The plain layout with rows rounded up to whole vectors, where the ideal is counted: it does not
 * depend on the layout as long as lanes are aligned. */
KgenLayout cost_ideal_layout(const AccessSet *set);

#endif
