/* layout.h: the layout that the solver would choose for an array, from the accesses seen. */
#ifndef KGEN_LINT_FIX_LAYOUT_H
#define KGEN_LINT_FIX_LAYOUT_H

#include "lint/fix/access_set.h"

typedef struct {
  const LintArray *array;
  const char *fix; /* one line of C, what it means, wavefronts before and after; NULL: none */
  const char *alternative; /* the same by the other means, pad or XOR; or NULL */
  const char *why_none;    /* NULL if there is a fix */
  /* Wavefronts of all its instructions, of their sample if sampled. */
  uint64_t before, after, ideal;
  bool sampled;          /* one has more patterns than are kept */
  LintElements elements; /* units of the search; cols: its row length in them, 0: no rows */
  int cols;
  KgenLayout layout; /* the fix, if there is one */
  uint64_t joined;   /* about what it takes as it is where ptxas joins accesses; 0: it joins none */
} LintFix;

/* For an array that has conflicts. The width of its rows is not in PTX: it is inferred from the
 * distances between the lanes that collide; an array without rows is cut into periods. */
LintFix lint_fix_find(Arena *a, const LintArray *array);

/* Weighs the fix against the wavefronts that joins save without it: a layout that parts neighbours
 * keeps ptxas from joining them. */
void lint_fix_weigh(Arena *a, LintFix *fix, uint64_t saved);

#endif
