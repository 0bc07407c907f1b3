/* page_tile.h: what the page of --html draws a tile from, as JSON. */
#ifndef KGEN_EMIT_PAGE_TILE_H
#define KGEN_EMIT_PAGE_TILE_H

#include "base/json.h"
#include "emit/plan.h"

/* A tile, two layouts of it and its accesses. */
typedef struct {
  const AccessSet *set;
  const KgenLayout *chosen;     /* of an array that lint has a fix for; NULL: see plan */
  const PlanTile *plan;         /* NULL: of lint */
  const uint64_t *const *times; /* [access][instruction]: how often it was executed; NULL: once */
} PageTile;

/* The tile's keys in an open object: its shape, the layouts "plain" and "chosen" and how the latter
 * is written down, and of each access the lanes of every instruction. */
void page_tile(Json *j, Arena *a, const PageTile *t);

#endif
