/* render.h: the plan put into its template, in memory. */
#ifndef KGEN_EMIT_RENDER_H
#define KGEN_EMIT_RENDER_H

#include "emit/plan.h"

typedef struct {
  const char *file; /* name without folder: transpose_f32.cu, or my_layout.h for `kernel: none` */
  const char *text;
} Rendered;

/* The kernel (or, for `none`, the header) of a plan. A template's errors are in d; then text is
 * NULL. */
Rendered render_plan(Arena *a, Diag *d, const Plan *plan, Templates *templates);

#endif
