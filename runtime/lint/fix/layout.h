/* SPDX-License-Identifier: MIT */
/* layout.h: finds the layout that the solver would choose for an array, from the observed
 * accesses. */
#ifndef KGEN_LINT_FIX_LAYOUT_H
#define KGEN_LINT_FIX_LAYOUT_H

#include "lint/fix/access_set.h"

typedef struct {
  const LintArray *array;
  const char *fix;         /* one line: C, its meaning, wavefronts before and after; NULL: none */
  const char *alternative; /* the same by the other method, pad or XOR; or NULL */
  const char *why_none;    /* the reason if there is no fix; else NULL */
  /* Wavefronts of all its instructions; if sampled, of the samples. */
  uint64_t before, after, ideal;
  bool sampled;          /* an instruction has more patterns than are kept */
  LintElements elements; /* elements of the search; cols: its row length in them, 0: no rows */
  int cols;
  KgenLayout layout; /* the fix, if there is one */
  uint64_t joined; /* estimated wavefronts if ptxas joins the current accesses; 0: it joins none */
} LintFix;

/* Finds a fix for an array with conflicts. The row length is not in PTX. It is inferred from the
 * distances between colliding lanes; an array without rows is cut into periods. */
LintFix lint_fix_find(Arena *a, const LintArray *array);

/* Compares the fix with the wavefronts that joins save without it: a layout that separates adjacent
 * words prevents ptxas from joining them. */
void lint_fix_weigh(Arena *a, LintFix *fix, uint64_t saved);

#endif
