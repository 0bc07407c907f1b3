/* page.h: what the page of --html draws a tile from, and the page around it. The page itself is
 * templates/page: HTML, CSS and JavaScript, which do all the drawing. */
#ifndef KGEN_EMIT_PAGE_H
#define KGEN_EMIT_PAGE_H

#include "base/json.h"
#include "emit/plan.h"
#include "solve/front.h"

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

/* The key "front" in an open object. arch, threads: of a block; other_bytes: of its other tiles. */
typedef struct {
  const Arch *arch;
  int threads;
  int64_t other_bytes;
  bool mapped; /* the chosen layout is not a KgenLayout: its point has none */
} PageBlock;
void page_front(Json *j, const Front *f, const PageBlock *b);

/* The page with the JSON text `data` in it, and all that it refers to. NULL, with the reason in
 * *why, if the folder `template_dir` lacks a part of it. */
const char *page_fill(Arena *a, const char *template_dir, const char *data, Text *why);

#endif
