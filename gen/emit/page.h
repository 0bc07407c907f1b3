/* SPDX-License-Identifier: MIT */
/* page.h: inserts data into the HTML report (--html), and writes the trade-off that it draws;
 * page_tile.h has the rest. The page itself is templates/page: HTML, CSS and JavaScript, which do
 * all the drawing. */
#ifndef KGEN_EMIT_PAGE_H
#define KGEN_EMIT_PAGE_H

#include "base/json.h"
#include "emit/plan.h"
#include "trade/front.h"

/* Writes the key "front" into an open object. arch and threads describe the block; other_bytes:
 * bytes of its other tiles. */
typedef struct {
  const Arch *arch;
  int threads;
  int64_t other_bytes;
  bool mapped; /* the chosen layout is not a KgenLayout: its point has none */
} PageBlock;
void page_front(Json *j, const Front *f, const PageBlock *b);

/* The page with the JSON text `data` and all files that it refers to. NULL, with the reason in
 * *why, if a file is missing in `template_dir`. */
const char *page_fill(Arena *a, const char *template_dir, const char *data, Text *why);

#endif
