/* page.h: the page of --html around its data, and the trade that it draws of a tile: page_tile.h
 * has the rest. The page itself is templates/page: HTML, CSS and JavaScript, which do all the
 * drawing. */
#ifndef KGEN_EMIT_PAGE_H
#define KGEN_EMIT_PAGE_H

#include "base/json.h"
#include "emit/plan.h"
#include "trade/front.h"

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
