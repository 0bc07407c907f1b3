/* SPDX-License-Identifier: MIT */
/* page.h: kgen --lint --html. */
#ifndef KGEN_LINT_REPORT_PAGE_H
#define KGEN_LINT_REPORT_PAGE_H

#include "lint/report/record.h"

/* The pictures, as JSON: each array with conflicts as a tile, in its current layout and with its
 * fix; and the source around findings. */
typedef struct {
  const char *arrays, *sources;
} LintPictures;
LintPictures lint_page_pictures(Arena *a, const LintReport *r);

/* The data of the page: the object of --json as "report", and these pictures. */
const char *lint_page_data(Arena *a, const Options *o, const LintReport *r);

#endif
