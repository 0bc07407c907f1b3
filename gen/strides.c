#include "strides.h"

#include <stdlib.h>
#include <string.h>

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
  p.pad[rank > 1 ? rank - 2 : 0] = (int16_t)pad;
  if (rank > 1 || pad == 0) return p;
  const int elements = set->banks.count * set->banks.bytes / set->tile->dtype->bytes;
  for (p.period = 1; 2 * p.period <= elements;) p.period *= 2;
  return p;
}

typedef struct {
  const AccessSet *set;
  Padding *padding; /* NULL while they are only counted */
  int count, pads;
} Collected;

static void collect(Collected *c, Padding p) {
  const KgenLayout l = strides_layout(c->set, &p);
  if (layout_bytes(&l, c->set->tile->dtype->bytes) > c->set->tile->want.max_bytes) return;
  p.elements = kgen_elements(&l);
  if (c->padding) c->padding[c->count] = p;
  c->count++;
}

/* Pads of dimension `dim` and all outside it, those inside it being fixed. */
static void collect_pads(Collected *c, Padding p, int dim) {
  if (dim < 0) {
    collect(c, p);
    return;
  }
  const int tries = c->set->tile->extent[dim] == 1 ? 1 : c->pads; /* one row has no stride */
  for (int pad = 0; pad < tries; pad++) {
    p.pad[dim] = (int16_t)pad;
    collect_pads(c, p, dim - 1);
  }
}

static void collect_all(Collected *c) {
  c->count = 0;
  if (c->set->tile->rank > 1) {
    collect_pads(c, (Padding){0}, c->set->tile->rank - 2);
    return;
  }
  collect(c, (Padding){0});
  for (int period = 2; period < c->set->tile->extent[0]; period *= 2)
    for (int pad = 0; pad < c->pads; pad++)
      collect(c, (Padding){.period = period, .pad = {(int16_t)pad}});
}

/* Fewest bytes; then no period before long ones before short ones, and inner pads before outer
 * ones. */
static int by_bytes(const void *pa, const void *pb) {
  const Padding *a = pa, *b = pb;
  if (a->elements != b->elements) return a->elements < b->elements ? -1 : 1;
  if (!a->period != !b->period) return a->period ? 1 : -1;
  if (a->period != b->period) return a->period > b->period ? -1 : 1;
  return memcmp(a->pad, b->pad, sizeof a->pad);
}

PaddingList strides_list(Arena *a, const AccessSet *set, bool pads) {
  Collected c = {.set = set, .pads = pads ? pad_count(set) : 1};
  collect_all(&c);
  c.padding = ARENA_ARRAY(a, Padding, (size_t)c.count);
  collect_all(&c);
  qsort(c.padding, (size_t)c.count, sizeof c.padding[0], by_bytes);
  return (PaddingList){c.count, c.padding};
}

/* Every row that a lane of several elements touches keeps them together. */
static void demand_units(const AccessSet *set, const KgenLayout *l, int32_t *unit) {
  const int rank = set->tile->rank, width = layout_cols(l);
  for (int i = 0; i < set->accesses; i++) {
    const Access *a = &set->access[i];
    for (int w = 0; a->elements > 1 && w < a->warps; w++)
      for (uint32_t m = a->warp[w].active; m; m &= m - 1) {
        const int lane = __builtin_ctz(m);
        int row = a->warp[w].coord[0][lane];
        if (rank == 1) row /= width;
        for (int d = 1; d < rank - 1; d++)
          row = row * set->tile->extent[d] + a->warp[w].coord[d][lane];
        if (unit[row] < a->elements) unit[row] = a->elements;
      }
  }
}

Rows rows_new(Arena *a, const AccessSet *set, int period) {
  KgenLayout l = layout_plain(set->tile);
  l.period = period;
  const int rows = layout_rows(&l), bytes = set->tile->dtype->bytes;
  const int piece = set->tile->want.align > bytes ? set->tile->want.align / bytes : 1;
  Rows r = {0};
  while (1 << r.row_bits < rows) r.row_bits++;
  int32_t *unit = ARENA_ARRAY(a, int32_t, (size_t)1 << r.row_bits);
  for (int row = 0; row < 1 << r.row_bits; row++) unit[row] = row < rows ? piece : 1;
  demand_units(set, &l, unit);
  for (int row = 0; row < rows; row++)
    if (unit[row] > r.max_unit) r.max_unit = unit[row];
  r.unit = unit;
  r.base = ARENA_ARRAY(a, int32_t, (size_t)1 << r.row_bits);
  r.x = ARENA_ARRAY(a, int32_t, (size_t)1 << r.row_bits);
  return r;
}

void rows_place(Rows *r, const KgenLayout *l) {
  for (int row = 0; row < 1 << r->row_bits; row++) {
    int coord[KGEN_MAX_RANK] = {0}, left = row;
    if (l->rank == 1) {
      r->base[row] = row * (l->period ? l->stride[0] : 0);
      continue;
    }
    for (int d = l->rank - 2; d > 0; d--) {
      coord[d] = left % l->extent[d];
      left /= l->extent[d];
    }
    coord[0] = left;
    r->base[row] = 0;
    for (int d = 0; d < l->rank - 1; d++) r->base[row] += coord[d] * l->stride[d];
  }
}

bool rows_admissible(const Rows *r, const KgenLayout *l, const AccessSet *set) {
  if (layout_bytes(l, set->tile->dtype->bytes) > set->tile->want.max_bytes) return false;
  if (l->period % r->max_unit && l->stride[0] != l->period) return false; /* cuts a piece */
  for (int row = 0; row < layout_rows(l); row++)
    if (r->base[row] % r->unit[row]) return false;
  return true;
}
