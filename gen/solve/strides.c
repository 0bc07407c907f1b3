#include "solve/strides.h"

#include <stdlib.h>
#include <string.h>

/* All paddings of tiles on 32 banks of 4 bytes; other banks and alignments could mean 2^39. */
enum { MAX_PADDINGS = 1 << 21 };

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
  int step; /* elements; strides that are no multiple are left out */
  int64_t max_bytes;
} Collected;

static bool fits(const Collected *c, const Padding *p) {
  const KgenLayout l = strides_layout(c->set, p);
  return layout_bytes(&l, c->set->tile->dtype->bytes) <= c->max_bytes;
}

static void collect(Collected *c, Padding p) {
  const KgenLayout l = strides_layout(c->set, &p);
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
  const bool single = c->set->tile->extent[dim] == 1; /* one row has no stride */
  const int tries = single ? 1 : c->pads;
  for (int pad = 0; pad < tries && c->count <= MAX_PADDINGS; pad++) {
    p.pad[dim] = (int16_t)pad;
    if (!fits(c, &p)) return; /* nor does any larger one */
    const int stride = strides_layout(c->set, &p).stride[dim];
    if (single || stride % c->step == 0) collect_pads(c, p, dim - 1);
  }
}

static void collect_all(Collected *c) {
  c->count = 0;
  if (c->set->tile->rank > 1) {
    collect_pads(c, (Padding){0}, c->set->tile->rank - 2);
    return;
  }
  if (fits(c, &(Padding){0})) collect(c, (Padding){0});
  for (int period = 2; period < c->set->tile->extent[0]; period *= 2)
    for (int pad = 0; pad < c->pads; pad++) {
      const Padding p = {.period = period, .pad = {(int16_t)pad}};
      if (fits(c, &p)) collect(c, p);
    }
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

/* Elements of the longest piece that some row must keep aligned. */
static int longest_piece(const AccessSet *set) {
  int piece = set->tile->want.align / set->tile->dtype->bytes;
  for (int i = 0; i < set->accesses; i++)
    if (set->access[i].elements > piece) piece = set->access[i].elements;
  return piece > 1 ? piece : 1;
}

/* Of too many paddings first those are taken that keep every row aligned, then the small ones. */
PaddingList strides_list(Arena *a, const AccessSet *set, bool pads) {
  const KgenLayout plain = layout_plain(set->tile);
  const int64_t least = layout_bytes(&plain, set->tile->dtype->bytes);
  Collected c = {.set = set,
                 .pads = pads ? pad_count(set) : 1,
                 .step = 1,
                 .max_bytes = set->tile->want.max_bytes};
  bool complete = true;
  for (collect_all(&c); c.count > MAX_PADDINGS; collect_all(&c)) {
    complete = false;
    if (c.step < longest_piece(set))
      c.step = longest_piece(set);
    else
      c.max_bytes = least + (c.max_bytes - least) / 2;
  }
  c.padding = ARENA_ARRAY(a, Padding, (size_t)c.count);
  collect_all(&c);
  qsort(c.padding, (size_t)c.count, sizeof c.padding[0], by_bytes);
  return (PaddingList){c.count, c.padding, complete};
}

/* The row of a lane's first element. */
static int lane_row(const KgenLayout *l, const WarpAccess *w, int lane) {
  int row = w->coord[0][lane];
  if (l->rank == 1) return row / layout_cols(l);
  for (int d = 1; d < l->rank - 1; d++) row = row * l->extent[d] + w->coord[d][lane];
  return row;
}

/* Every row that a lane of several elements touches keeps them together. They lie in one row, save
 * those of a rank-1 tile whose period is shorter. */
static void demand_units(const AccessSet *set, const KgenLayout *l, int32_t *unit) {
  const int width = layout_cols(l);
  for (int i = 0; i < set->accesses; i++) {
    const Access *a = &set->access[i];
    const int rows = a->elements > width ? a->elements / width : 1;
    for (int w = 0; a->elements > 1 && w < a->warps; w++)
      for (uint32_t m = a->warp[w].active; m; m &= m - 1) {
        const int row = lane_row(l, &a->warp[w], __builtin_ctz(m));
        for (int r = row; r < row + rows; r++)
          if (unit[r] < a->elements) unit[r] = a->elements;
      }
  }
}

Rows rows_new(Arena *a, const AccessSet *set, int period) {
  KgenLayout l = layout_plain(set->tile);
  l.period = period;
  const int rows = layout_rows(&l), bytes = set->tile->dtype->bytes;
  const int piece = set->tile->want.align > bytes ? set->tile->want.align / bytes : 1;
  Rows r = {.align = piece};
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

/* The start of the next row, whose coordinates it steps to: divisions would take most of the time
 * that a tile with a million paddings does. */
static int32_t next_base(const KgenLayout *l, int coord[KGEN_MAX_RANK], int32_t base) {
  for (int d = l->rank - 2; d > 0; d--) {
    base += l->stride[d];
    if (++coord[d] < l->extent[d]) return base;
    coord[d] = 0;
    base -= l->extent[d] * l->stride[d];
  }
  return base + l->stride[0];
}

void rows_place(Rows *r, const KgenLayout *l) {
  int coord[KGEN_MAX_RANK] = {0};
  r->base[0] = 0;
  for (int row = 1; row < 1 << r->row_bits; row++) {
    if (l->rank == 1)
      r->base[row] = row * (l->period ? l->stride[0] : 0);
    else
      r->base[row] = next_base(l, coord, r->base[row - 1]);
  }
}

/* The rows one step from the first in each dimension: their starts are the strides. */
bool rows_may_admit(const Rows *r, const KgenLayout *l) {
  int row = 1;
  for (int d = l->rank - 2; d >= 0; d--) {
    if (l->extent[d] > 1 && l->stride[d] % r->unit[row]) return false;
    row *= l->extent[d];
  }
  return true;
}

bool rows_admissible(const Rows *r, const KgenLayout *l, const AccessSet *set) {
  if (layout_bytes(l, set->tile->dtype->bytes) > set->tile->want.max_bytes) return false;
  /* A piece that a short period cuts is whole only without a pad, and then it starts where it does
   * in the plain tile. */
  const bool cut = l->period % r->max_unit != 0;
  if (cut && l->stride[0] != l->period) return false;
  for (int row = 0; row < layout_rows(l); row++)
    if (r->base[row] % (cut ? r->align : r->unit[row])) return false;
  return true;
}
