/* page.h: kgen --lint --html. */
#ifndef KGEN_LINT_REPORT_PAGE_H
#define KGEN_LINT_REPORT_PAGE_H

#include "lint/report/record.h"

/* As JSON: of every array with conflicts its tile as it is and with its fix; and the source around
 * what was found. */
typedef struct {
  const char *arrays, *sources;
} LintPictures;
LintPictures lint_page_pictures(Arena *a, const LintReport *r);

/* The page's data: the object of --json as "report", and these pictures. */
const char *lint_page_data(Arena *a, const Options *o, const LintReport *r);

#endif
