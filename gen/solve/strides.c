#include "solve/strides.h"

/* Choices of the inner pads. */
enum { MOST_CHOICES = 1 << 16 };

static int64_t gcd(int64_t a, int64_t b) { return b ? gcd(b, a % b) : a; }

/* Pads of one stride: one bank period of bytes, in elements; more only repeats them. */
static int pad_count(const AccessSet *set) {
  const int bytes = set->tile->dtype->bytes;
  const int64_t period = (int64_t)set->banks.count * set->banks.bytes;
  const int align = set->tile->want.align > 16 ? set->tile->want.align : 16;
  return (int)(period / gcd(period, align) * align / bytes);
}

KgenLayout strides_layout(const AccessSet *set, const Padding *p) {
  KgenLayout l = layout_plain(set->tile);
  if (p->period) {
    l.period = p->period;
    l.stride[0] = p->period + p->pad[0];
    l.stride[1] = 1;
  }
  for (int d = l.rank - 2; d >= 0; d--) l.stride[d] = l.extent[d + 1] * l.stride[d + 1] + p->pad[d];
  return l;
}

Padding strides_given(const AccessSet *set, int pad) {
  Padding p = {0};
  const int rank = set->tile->rank;
  p.pad[rank > 1 ? rank - 2 : 0] = pad;
  if (rank > 1 || pad == 0) return p;
  const int elements = set->banks.count * set->banks.bytes / set->tile->dtype->bytes;
  for (p.period = 1; 2 * p.period <= elements;) p.period *= 2;
  return p;
}

/* --- a heap of the paddings to come, the first on top --- */

/* Fewest bytes; then no period before long ones before short ones, and inner pads before outer
 * ones. */
static bool comes_before(const Padding *a, const Padding *b) {
  if (a->elements != b->elements) return a->elements < b->elements;
  if (a->period != b->period) return a->period && b->period ? a->period > b->period : !a->period;
  for (int d = 0; d < KGEN_MAX_RANK - 2; d++)
    if (a->pad[d] != b->pad[d]) return a->pad[d] < b->pad[d];
  return a->pad[KGEN_MAX_RANK - 2] < b->pad[KGEN_MAX_RANK - 2];
}

static void sink(PaddingWalk *w, int at, Padding p) {
  for (int child; (child = 2 * at + 1) < w->count; at = child) {
    if (child + 1 < w->count && comes_before(&w->heap[child + 1], &w->heap[child])) child++;
    if (!comes_before(&w->heap[child], &p)) break;
    w->heap[at] = w->heap[child];
  }
  w->heap[at] = p;
}

/* By so many elements one of the outermost dimension enlarges the tile. */
static int outer_rows(const Tile *t, const Padding *p) {
  return t->rank > 1 ? t->extent[0] : (t->extent[0] + p->period - 1) / p->period;
}

/* Puts the padding that follows the first in its place: a larger pad of the outermost dimension;
 * one row has no stride. */
static void replace_first(PaddingWalk *w) {
  const Tile *t = w->set->tile;
  Padding p = w->heap[0];
  const int step = w->multiple[0];
  const bool padded = t->rank > 1 ? t->extent[0] > 1 : p.period > 0;
  p.pad[0] += step;
  if (padded && p.pad[0] < w->pads && (p.elements += (int64_t)step * outer_rows(t, &p)) <= w->most)
    sink(w, 0, p);
  else if (--w->count)
    sink(w, 0, w->heap[w->count]);
}

static void add_choice(PaddingWalk *w, Padding p) {
  if (p.elements > w->most) return;
  w->complete = w->complete && w->count < MOST_CHOICES;
  if (!w->complete) return;
  w->heap = arena_grow(w->arena, w->heap, w->count, &w->capacity, sizeof *w->heap);
  w->heap[w->count++] = p;
}

/* Pads of dimension `dim` and all outside it but the outermost, those inside it being fixed;
 * elements: of what lies inside it. */
static void add_inner(PaddingWalk *w, Padding p, int dim, int64_t elements) {
  const int extent = w->set->tile->extent[dim], step = extent > 1 ? w->multiple[dim] : 1;
  const int first = (int)((step - elements % step) % step), end = extent > 1 ? w->pads : 1;
  for (p.pad[dim] = first; p.pad[dim] < end && w->complete; p.pad[dim] += step) {
    p.elements = (elements + p.pad[dim]) * extent;
    if (p.elements > w->most) return; /* nor does any larger one fit */
    if (dim == 0) {
      add_choice(w, p);
      return;
    }
    add_inner(w, p, dim - 1, p.elements);
  }
}

/* A period of one element without a pad is the plain layout. */
static void add_periods(PaddingWalk *w) {
  const int n = w->set->tile->extent[0];
  add_choice(w, (Padding){.elements = n});
  for (int period = 1; period < n; period *= 2) {
    const int pad = period == 1, rows = (n + period - 1) / period;
    if (pad < w->pads) add_choice(w, (Padding){(int64_t)rows * (period + pad), period, {pad}});
  }
}

PaddingWalk strides_walk(const AccessSet *set, bool pads, const int *multiple) {
  const Tile *t = set->tile;
  PaddingWalk w = {.set = set,
                   .arena = arena_new(),
                   .pads = pads ? pad_count(set) : 1,
                   .most = t->want.max_bytes / t->dtype->bytes,
                   .complete = true};
  for (int d = 0; d < KGEN_MAX_RANK - 1; d++) w.multiple[d] = multiple ? multiple[d] : 1;
  if (t->rank > 1)
    add_inner(&w, (Padding){0}, t->rank - 2, t->extent[t->rank - 1]);
  else
    add_periods(&w);
  for (int at = w.count / 2; at-- > 0;) sink(&w, at, w.heap[at]);
  w.steps = 20;
  for (int left = w.count; left > 1; left /= 2) w.steps += 25;
  return w;
}

const Padding *strides_next(PaddingWalk *w) {
  if (w->count == 0) return NULL;
  w->next = w->heap[0];
  replace_first(w);
  return &w->next;
}

void strides_end(PaddingWalk *w) { arena_free(w->arena); }
