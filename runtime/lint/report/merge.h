/* merge.h: equal launches of several processes as one. */
#ifndef KGEN_LINT_REPORT_MERGE_H
#define KGEN_LINT_REPORT_MERGE_H

#include "lint/report/record.h"

/* Whether two are of one kernel, grid, block and size of shared memory. */
bool lint_merge_equal(const LintReport *a, const LintReport *b);
/* Adds `more` to `into`: counts are summed, findings united. Of layouts that the two propose for
 * one array, that of `into` stays, and what it says of its own launches with it. */
void lint_merge(Arena *a, LintReport *into, const LintReport *more);

#endif
