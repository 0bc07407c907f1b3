/* SPDX-License-Identifier: MIT */
/* page_tile.h: the JSON from which the HTML report draws a tile. */
#ifndef KGEN_EMIT_PAGE_TILE_H
#define KGEN_EMIT_PAGE_TILE_H

#include "base/json.h"
#include "emit/plan.h"

/* A tile, two layouts of it and its accesses. */
typedef struct {
  const AccessSet *set;
  const KgenLayout *chosen;     /* for an array that lint has a fix for; NULL: use `plan` */
  const PlanTile *plan;         /* NULL: from lint */
  const uint64_t *const *times; /* [access][instruction]: number of executions; NULL: once each */
} PageTile;

/* Writes the tile's keys into an open object: its shape, the layouts "plain" and "chosen" and the
 * forms of the latter, and the lanes of every instruction of each access. */
void page_tile(Json *j, Arena *a, const PageTile *t);

#endif
