#include "solve/strides.h"

enum { MAX_PERIODS = 31 };

typedef struct {
  int rank, pads; /* of one stride; 1: nothing is added to a row */
  const int *multiple;
  int64_t elements;            /* that the tile may occupy */
  int64_t most[KGEN_MAX_RANK]; /* of each stride */
  KgenLayout plain, at;        /* `at`: the layout that is shown next */
  StridesVisit *visit;
  void *visitor;
} Walk;

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

/* The smallest of the next paddings of all periods, a long period before short ones. */
static bool next_period(Walk *w, const int pad[MAX_PERIODS]) {
  int64_t least = w->elements + 1;
  for (int i = 0; i < MAX_PERIODS && 1 << i < w->plain.extent[0]; i++) {
    const KgenLayout l = with_period(&w->plain, 1 << i, pad[i]);
    if (pad[i] >= w->pads || kgen_elements(&l) > least) continue;
    least = kgen_elements(&l);
    w->at = l;
  }
  return least <= w->elements;
}

static void walk_periods(Walk *w) {
  int pad[MAX_PERIODS] = {1}; /* a period of one element without a pad is the plain layout */
  bool more = w->plain.extent[0] <= w->elements && w->visit(w->visitor, &w->plain);
  while (more && next_period(w, pad)) {
    pad[__builtin_ctz((unsigned)w->at.period)]++;
    more = w->visit(w->visitor, &w->at);
  }
}

/* --- rank 2 and more --- */

/* One row has no stride that matters. */
static int pads_of(const Walk *w, int dim) { return w->plain.extent[dim] > 1 ? w->pads : 1; }
static int step_of(const Walk *w, int dim) {
  return dim < w->rank - 1 && w->plain.extent[dim] > 1 ? w->multiple[dim] : 1;
}

/* All strides inside dimension `dim`, those from it outwards being fixed. False: no more. */
static bool walk_inner(Walk *w, int dim) {
  if (dim == w->rank - 1 || dim == KGEN_MAX_RANK - 1) return w->visit(w->visitor, &w->at);
  const int outer = w->at.stride[dim], extent = w->plain.extent[dim + 1];
  const int step = step_of(w, dim + 1), least = w->plain.stride[dim + 1];
  int64_t stride = outer / extent < w->most[dim + 1] ? outer / extent : w->most[dim + 1];
  for (stride -= stride % step; stride >= least && outer - stride * extent < pads_of(w, dim);
       stride -= step) {
    w->at.stride[dim + 1] = (int)stride;
    if (!walk_inner(w, dim + 1)) return false;
  }
  return true;
}

static void walk_rows(Walk *w) {
  const int step = step_of(w, 0), rows = w->plain.extent[0];
  for (int dim = w->rank - 1; dim >= 0; dim--)
    w->most[dim] =
        dim == w->rank - 1 ? 1 : w->most[dim + 1] * w->plain.extent[dim + 1] + pads_of(w, dim) - 1;
  w->at = w->plain;
  int64_t stride = (w->plain.stride[0] + step - 1) / step * step;
  for (; stride <= w->most[0] && stride * rows <= w->elements; stride += step) {
    w->at.stride[0] = (int)stride;
    if (!walk_inner(w, 0)) return;
  }
}

void strides_walk(const AccessSet *set, bool pads, const int multiple[KGEN_MAX_RANK - 1],
                  StridesVisit *visit, void *visitor) {
  Walk w = {.rank = set->tile->rank,
            .pads = pads ? pad_count(set) : 1,
            .multiple = multiple,
            .elements = set->tile->want.max_bytes / set->tile->dtype->bytes,
            .plain = layout_plain(set->tile),
            .visit = visit,
            .visitor = visitor};
  (w.rank > 1 ? walk_rows : walk_periods)(&w);
}

KgenLayout strides_given(const AccessSet *set, int pad) {
  KgenLayout l = layout_plain(set->tile);
  if (l.rank == 1 && pad) {
    const int elements = set->banks.count * set->banks.bytes / set->tile->dtype->bytes;
    int period = 1;
    while (2 * period <= elements) period *= 2;
    return with_period(&l, period, pad);
  }
  for (int d = l.rank - 2, add = pad; d >= 0; d--, add = 0)
    l.stride[d] = l.extent[d + 1] * l.stride[d + 1] + add;
  return l;
}
