/* SPDX-License-Identifier: MIT */
/* cost.h: the cost of all accesses of a tile under one layout. */
#ifndef KGEN_MODEL_COST_H
#define KGEN_MODEL_COST_H

#include "model/bank.h"
#include "model/layout.h"

/* --- one instruction of an access; its lanes are at byte address[] of the tile --- */

/* Splits the lanes into groups that are served together: bank_groups(), or cp_async_groups() for a
 * cp.async. */
int cost_groups(const Access *a, const WarpAccess *w, const int64_t address[WARP],
                uint32_t mask[4]);
/* Cost of one such group. *bank, if not NULL, is its fullest bank, or 0 for a cp.async. */
int cost_group(BankGeometry banks, const Access *a, const WarpAccess *w, uint32_t lanes,
               const int64_t address[WARP], int *bank);
BankCost cost_instruction(BankGeometry banks, const Access *a, const WarpAccess *w,
                          const int64_t address[WARP]);

/* --- a whole access --- */

/* Wavefronts of one access, over all its instructions, under one layout. */
typedef struct {
  int64_t wavefronts, ideal;
  int worst; /* wavefronts of the costliest lane group */
} AccessCost;

/* Returns the weighted wavefronts in thousandths and stores the cost of each access in cost[]. */
int64_t cost_count(const AccessSet *set, const KgenLayout *l, AccessCost *cost);

#endif
