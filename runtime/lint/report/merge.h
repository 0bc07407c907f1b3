/* SPDX-License-Identifier: MIT */
/* merge.h: merges the reports of equal launches of several processes. */
#ifndef KGEN_LINT_REPORT_MERGE_H
#define KGEN_LINT_REPORT_MERGE_H

#include "lint/report/record.h"

/* True if both have the same kernel, grid, block and shared-memory size. */
bool lint_merge_equal(const LintReport *a, const LintReport *b);
/* Adds `more` to `into`: counts are summed, findings united. If both propose a layout for one
 * array, the layout in `into` is kept, with the numbers of its own launches. */
void lint_merge(Arena *a, LintReport *into, const LintReport *more);

#endif
