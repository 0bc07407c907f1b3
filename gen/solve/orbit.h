/* family.h: part of stage 4. Groups that need not be searched apart: where a group occurs with
 * every XOR of its columns, all of these together cost as much wherever in the tile they lie. */
#ifndef KGEN_FAMILY_H
#define KGEN_FAMILY_H

#include "solve/swizzle.h"

/* The same space with stronger bounds. If its addresses are linear: the parts of each group. Else:
 * fewer groups, of the lowest rows that they can be moved to. Every map costs as much as before. */
MapSpace family_merge(Arena *a, const MapSpace *space, Effort *e);

/* Orders groups by what decides their cost: equal ones, 0, cost the same under every map. */
int family_compare(const Group *a, const Group *b);
/* Whether all groups have slots, which that takes for granted. */
bool family_slots(const Classes *c);

#endif
