#include "solve/strides.h"

#include <string.h>

static int64_t gcd(int64_t a, int64_t b) { return b ? gcd(b, a % b) : a; }

/* Pads of one stride: one bank period of bytes, in elements; more only repeats them. */
static int pad_count(const AccessSet *set) {
  const int bytes = set->tile->dtype->bytes;
  const int64_t period = (int64_t)set->banks.count * set->banks.bytes;
  const int align = set->tile->want.align > 16 ? set->tile->want.align : 16;
  return (int)(period / gcd(period, align) * align / bytes);
}

/* --- rank 1: periods --- */

static KgenLayout with_period(const KgenLayout *plain, int period, int pad) {
  KgenLayout l = *plain;
  l.period = period;
  l.stride[0] = period + pad;
  l.stride[1] = 1;
  return l;
}

/* The plain layout, then the smallest of the next paddings of all periods, a long period before
 * short ones. */
static bool next_period(StridesWalk *w) {
  if (w->at.rank == 0) {
    w->at = w->plain;
    return kgen_elements(&w->at) <= w->elements;
  }
  int64_t least = w->elements + 1;
  for (int i = 0; i < STRIDES_PERIODS && 1 << i < w->plain.extent[0]; i++) {
    const KgenLayout l = with_period(&w->plain, 1 << i, w->pad[i]);
    if (w->pad[i] >= w->pads || kgen_elements(&l) > least) continue;
    least = kgen_elements(&l);
    w->at = l;
  }
  if (least > w->elements) return false;
  w->pad[__builtin_ctz((unsigned)w->at.period)]++;
  return true;
}

/* --- rank 2 and more --- */

/* One row has no stride that matters. */
static int pads_of(const StridesWalk *w, int dim) { return w->plain.extent[dim] > 1 ? w->pads : 1; }
static int step_of(const StridesWalk *w, int dim) {
  return w->plain.extent[dim] > 1 ? w->multiple[dim] : 1;
}

/* True if the next outer stride exceeds what this one takes by less than a bank period; for the
 * outermost stride, if it is below its own limit and the tile's. */
static bool fits(const StridesWalk *w, int dim) {
  const int64_t stride = w->at.stride[dim], extent = w->plain.extent[dim];
  if (dim == 0) return stride <= w->most[0] && stride * extent <= w->elements;
  return stride >= w->plain.stride[dim] &&
         w->at.stride[dim - 1] - stride * extent < pads_of(w, dim - 1);
}

/* Sets a stride to the largest that fits in the next outer one. */
static bool enter(StridesWalk *w, int dim) {
  int64_t stride = w->at.stride[dim - 1] / w->plain.extent[dim];
  if (stride > w->most[dim]) stride = w->most[dim];
  w->at.stride[dim] = (int)(stride - stride % step_of(w, dim));
  return fits(w, dim);
}

static bool step(StridesWalk *w, int dim) {
  w->at.stride[dim] += dim ? -step_of(w, dim) : step_of(w, dim);
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
  const int last = w->plain.rank - 1, step = step_of(w, 0);
  w->most[last] = 1;
  for (int dim = last - 1; dim >= 0; dim--)
    w->most[dim] = w->most[dim + 1] * w->plain.extent[dim + 1] + pads_of(w, dim) - 1;
  w->at = w->plain;
  for (int dim = 1; dim < last; dim++) w->at.stride[dim] = 0;
  w->at.stride[0] = (w->plain.stride[0] + step - 1) / step * step - step;
}

StridesWalk strides_begin(const AccessSet *set, bool pads, const int multiple[KGEN_MAX_RANK - 1]) {
  StridesWalk w = {.pads = pads ? pad_count(set) : 1,
                   .elements = set->tile->want.max_bytes / set->tile->dtype->bytes,
                   .plain = layout_plain(set->tile),
                   .pad = {1}}; /* a period of one element without a pad is the plain layout */
  memcpy(w.multiple, multiple, sizeof w.multiple);
  if (w.plain.rank > 1) begin_rows(&w);
  return w;
}

bool strides_next(StridesWalk *w) { return (w->plain.rank > 1 ? next_rows : next_period)(w); }
