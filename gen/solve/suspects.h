/* suspects.h: part of stage 4. All groups of a tile, those that refused a layout last first: a few
 * mostly decide. */
#ifndef KGEN_SUSPECTS_H
#define KGEN_SUSPECTS_H

#include "solve/maps.h"

typedef struct {
  const Classes *classes;
  int *order; /* indices of groups */
  int known;  /* so many of them have refused something */
} Suspects;

Suspects suspects_new(Arena *a, const Classes *c);
/* Weighted wavefronts of these rows under the map m, or without one if it is NULL; only that they
 * are more once they are above `most`. *culprit: a group above its floor, NULL if there is none. */
int64_t suspects_total(Suspects *s, const Rows *rows, const Map *m, int64_t most,
                       const Group **culprit, Budget *b);

#endif
