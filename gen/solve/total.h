/* SPDX-License-Identifier: MIT */
/* total.h: what all groups of a tile cost at one set of strides. */
#ifndef KGEN_SOLVE_TOTAL_H
#define KGEN_SOLVE_TOTAL_H

#include "solve/maps.h"

/* The cost of those lanes of a group whose rows have no bit that is open. m: as below. */
int total_of_group(const AccessSet *set, const Group *g, const Rows *rows, const Map *m,
                   uint32_t open, Budget *b);

/* Weighted wavefronts of these rows under the map m, or without a map if m is NULL. Counting stops
 * once the sum is above `most`. *violating_group: a group above its floor, NULL if there is none.
 * Groups that refuse come first from then on, since a few mostly decide. */
int64_t total_count(Classes *c, const Rows *rows, const Map *m, int64_t most,
                    const Group **violating_group, Budget *b);

/* The group at that place of c->order comes first from now on. */
void total_refused(Classes *c, int at);

#endif
