/* SPDX-License-Identifier: MIT */
#include "spec/access_source.h"

#include "spec/expr_eval.h"

/* Rows of a source are so far apart that no two share a cache line. All coordinates except the last
 * select one of SOURCE_ROWS, and the last is an element within its SOURCE_ROW bytes. */
enum { SOURCE_ROWS = 1 << 14, SOURCE_ROW = 1 << 20 };
#define SOURCE_ELEMENTS (INT64_C(1) << 40) /* for a one-dimensional source */

static bool set_source(Expansion *e, int lane, int dim, int64_t v) {
  const int last = e->access->from_dims - 1, bytes = e->tile->dtype->bytes;
  const int64_t most = last == 0 ? SOURCE_ELEMENTS : dim < last ? SOURCE_ROWS : SOURCE_ROW / bytes;
  int64_t *source = &e->source[e->count][lane];
  *source = dim < last ? *source * SOURCE_ROWS + v : *source * SOURCE_ROW + v * bytes;
  if (v < 0 || v >= most)
    diag_error(e->diag, e->access->from[dim]->loc,
               "access '%s' reads index %lld of its source's dimension %d, but there are 0 to %lld "
               "(%s)",
               e->access->name, (long long)v, dim, (long long)most - 1, expansion_where(e, lane));
  else if (dim == last && *source % (e->elements * bytes))
    diag_error(e->diag, e->access->from[dim]->loc,
               "access '%s' is misaligned: a lane of %d elements reads from element %lld (%s)",
               e->access->name, e->elements, (long long)v, expansion_where(e, lane));
  else
    return true;
  return false;
}

static bool place_source(Expansion *e, const WarpAccess *w, int dim) {
  const WarpEnv env = {(const int64_t(*)[WARP])e->value, w->active, false};
  int64_t v[WARP];
  bool ok = expr_eval_warp(e->access->from[dim], &env, e->diag, v);
  for (uint32_t m = w->active; ok && m; m &= m - 1)
    ok = set_source(e, __builtin_ctz(m), dim, v[__builtin_ctz(m)]);
  return ok;
}

void source_default(Expansion *e, const WarpAccess *w) {
  const int last = e->tile->rank - 1, bytes = e->tile->dtype->bytes;
  for (uint32_t m = w->active; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    int64_t row = 0;
    for (int d = 0; d < last; d++) row = row * e->tile->extent[d] + w->coord[d][lane];
    e->source[e->count][lane] = row * SOURCE_ROW + (int64_t)w->coord[last][lane] * bytes;
  }
}

bool source_resolve(Expansion *e, const WarpAccess *w) {
  if (e->access->from_dims == 0) source_default(e, w);
  bool ok = true;
  for (int d = 0; ok && d < e->access->from_dims; d++) ok = place_source(e, w, d);
  return ok;
}
