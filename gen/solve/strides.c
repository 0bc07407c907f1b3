/* SPDX-License-Identifier: MIT */
#include "solve/strides.h"

/* Pads of one stride: one bank period of bytes, in elements; more only repeats them. */
static int pad_count(const AccessSet *set) {
  const int align = set->tile->want.align > 16 ? set->tile->want.align : 16;
  int period = set->banks.count * set->banks.bytes;
  while (period % align) period *= 2;
  return period / set->tile->dtype->bytes;
}

/* --- rank 1: periods --- */

/* The plain layout, then the smallest of the next paddings of all periods, a long period before
 * short ones. */
static bool next_period(StridesWalk *w) {
  if (w->at.rank == 0) {
    w->at = w->plain;
    return kgen_elements(&w->at) <= w->elements;
  }
  int64_t least = w->elements + 1;
  for (int i = 0; i < STRIDES_PERIODS && 1 << i < w->plain.extent[0]; i++) {
    const KgenLayout l = layout_cut(&w->plain, 1 << i, w->pad[i]);
    if (w->pad[i] >= w->pads[0] || kgen_elements(&l) > least) continue;
    least = kgen_elements(&l);
    w->at = l;
  }
  if (least > w->elements) return false;
  w->pad[__builtin_ctz((unsigned)w->at.period)]++;
  return true;
}

/* --- rank 2 and more --- */

/* True if the next outer stride exceeds what this one takes by less than a bank period; for the
 * outermost stride, if it is below its own limit and the tile's. */
static bool fits(const StridesWalk *w, int dim) {
  const int64_t stride = w->at.stride[dim], taken = stride * w->plain.extent[dim];
  if (dim == 0) return stride <= w->most[0] && taken <= w->elements;
  return stride >= w->plain.stride[dim] && w->at.stride[dim - 1] - taken < w->pads[dim - 1];
}

/* Sets a stride to the largest that fits in the next outer one. */
static bool enter(StridesWalk *w, int dim) {
  int64_t stride = w->at.stride[dim - 1] / w->plain.extent[dim];
  if (stride > w->most[dim]) stride = w->most[dim];
  w->at.stride[dim] = (int)(stride - stride % w->multiple[dim]);
  return fits(w, dim);
}

static bool step(StridesWalk *w, int dim) {
  w->at.stride[dim] += dim ? -w->multiple[dim] : w->multiple[dim];
  return fits(w, dim);
}

static bool next_rows(StridesWalk *w) {
  const int last = w->plain.rank - 2;
  int dim = last;
  for (bool more = step(w, dim); !more || dim < last;) {
    if (more)
      more = enter(w, ++dim);
    else if (dim-- > 0)
      more = step(w, dim);
    else
      return false;
  }
  return true;
}

/* Stands one step before the first strides. */
static void begin_rows(StridesWalk *w) {
  const int last = w->plain.rank - 1, step = w->multiple[0];
  w->most[last] = 1;
  for (int dim = last - 1; dim >= 0; dim--)
    w->most[dim] = w->most[dim + 1] * w->plain.extent[dim + 1] + w->pads[dim] - 1;
  w->at = w->plain;
  for (int dim = 1; dim < last; dim++) w->at.stride[dim] = 0;
  w->at.stride[0] = (w->plain.stride[0] + step - 1) / step * step - step;
}

StridesWalk strides_begin(const AccessSet *set, bool pads, const int multiple[KGEN_MAX_RANK - 1]) {
  StridesWalk w = {.plain = layout_plain(set->tile),
                   .elements = set->tile->want.max_bytes / set->tile->dtype->bytes,
                   .pad = {1}}; /* a period of one element without a pad is the plain layout */
  for (int d = 0; d < KGEN_MAX_RANK - 1; d++) {
    w.pads[d] = pads && w.plain.extent[d] > 1 ? pad_count(set) : 1;
    w.multiple[d] = multiple[d];
  }
  if (w.plain.rank > 1) begin_rows(&w);
  return w;
}

bool strides_next(StridesWalk *w) { return (w->plain.rank > 1 ? next_rows : next_period)(w); }
