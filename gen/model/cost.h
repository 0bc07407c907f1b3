/* cost.h: what all accesses of a tile cost under one layout. */
#ifndef KGEN_MODEL_COST_H
#define KGEN_MODEL_COST_H

#include "model/bank.h"
#include "model/layout.h"

/* --- one instruction of an access, its lanes at byte address[] of the tile --- */

/* The lanes that are served together: as bank_groups, or for a cp.async cp_async_groups. */
int cost_groups(const Access *a, const WarpAccess *w, const int64_t address[WARP],
                uint32_t mask[4]);
/* What one of them costs. *bank, if not NULL: its fullest bank; of a cp.async 0. */
int cost_group(BankGeometry banks, const Access *a, const WarpAccess *w, uint32_t lanes,
               const int64_t address[WARP], int *bank);
BankCost cost_instruction(BankGeometry banks, const Access *a, const WarpAccess *w,
                          const int64_t address[WARP]);

/* --- a whole access --- */

/* Wavefronts of one access, over all its instructions, under one layout. */
typedef struct {
  int64_t wavefronts, ideal;
  int worst; /* of one lane group */
} AccessCost;

/* Weighted wavefronts in thousandths, and the cost of each access. */
int64_t cost_count(const AccessSet *set, const KgenLayout *l, AccessCost *cost);

#endif
