/* render.h: the plan put into its template, in memory. */
#ifndef KGEN_EMIT_RENDER_H
#define KGEN_EMIT_RENDER_H

#include "base/json.h"
#include "emit/plan.h"

typedef struct {
  const char *file; /* name without folder: transpose_f32.cu, or my_layout.h for `kernel: none` */
  const char *text;
} Rendered;

/* The kernel (or, for `none`, the header) of a plan. A template's errors are in d; then text is
 * NULL. */
Rendered render_plan(Arena *a, Diag *d, const Plan *plan, const char *template_dir);

/* One spec's object of `kgen --json`, without the closing brace's "run": the caller may add keys
 * before json_end. files: the paths written, may be none. */
void plan_json(Json *j, const Plan *plan, const char *const *files, int count);

/* Keys of an open object: strides, period and terms, which tell layouts of one tile apart. */
void layout_json(Json *j, const KgenLayout *l);

/* kgen --explain: banks before and after, the colliding lanes, the layout in C, why nothing smaller
 * works. */
void explain_plan(Text *out, Arena *a, const Plan *plan, bool color);

#endif
