/* SPDX-License-Identifier: MIT */
/* render.h: renders the plan into its template, in memory. */
#ifndef KGEN_EMIT_RENDER_H
#define KGEN_EMIT_RENDER_H

#include "emit/plan.h"

typedef struct {
  /* name without directory: transpose_f32.cu, or my_layout.h for `kernel: none` */
  const char *file;
  const char *text;
} Rendered;

/* Renders the kernel of a plan or, for `none`, the header. A template's errors are in d; then text
 * is NULL. */
Rendered render_plan(Arena *a, Diag *d, const Plan *plan, Templates *templates);

#endif
