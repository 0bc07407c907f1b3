/* free_map.h: part of stage 4. Whether some map serves all groups at their floors. A few groups
 * mostly decide it, so it is asked of those that refused something before, and of one more whenever
 * a map is found that serves them but not all. */
#ifndef KGEN_FREE_MAP_H
#define KGEN_FREE_MAP_H

#include "solve/least_total.h"

/* All groups of a tile, those that refused last first. */
typedef struct {
  const Classes *classes;
  int *order; /* indices of groups */
  int known;  /* so many of them have refused something */
} Suspects;

Suspects suspects_new(Arena *a, const Classes *c);
/* A group above its floor under a placement, which is then the first suspect; NULL: there is none.
 */
const Group *suspects_refuse(Suspects *s, const Placement *p, Budget *b);

/* A map under which every group is at its floor. x: room for X of every row. */
MapSearch free_map(Suspects *s, const MapSpace *space, int32_t *x, Budget *b);
/* The cheapest such map, of two terms or more. */
MapSearch free_map_cheapest(Suspects *s, const MapSpace *space, const Price *price, int32_t *x,
                            Budget *b);

#endif
