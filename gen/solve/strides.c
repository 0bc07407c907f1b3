#include "solve/strides.h"

#include <stdlib.h>
#include <string.h>

/* Paddings of one piece of the list. */
enum { MOST_LISTED = 1 << 16 };

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

/* Paddings of more than `above` and at most `upto` elements. */
typedef struct {
  const AccessSet *set;
  Padding *padding; /* room for MOST_LISTED */
  int count, pads;
  int64_t above, upto;
  int64_t looked; /* at so many paddings */
} Collected;

/* Without building the layout: that would take most of the time of a tile with a million paddings.
 */
static int64_t elements_of(const Collected *c, const Padding *p) {
  const Tile *t = c->set->tile;
  if (t->rank == 1 && p->period)
    return (int64_t)((t->extent[0] + p->period - 1) / p->period) * (p->period + p->pad[0]);
  int64_t elements = t->extent[t->rank - 1];
  for (int d = t->rank - 2; d >= 0; d--) elements = (elements + p->pad[d]) * t->extent[d];
  return elements;
}

static void collect(Collected *c, Padding p) {
  const int64_t elements = elements_of(c, &p);
  c->looked++;
  if (elements <= c->above || elements > c->upto) return;
  p.elements = (int32_t)elements;
  if (c->count < MOST_LISTED) c->padding[c->count] = p;
  c->count++;
}

/* The least pad of the outermost dimension that makes the tile large enough. */
static int least_pad(const Collected *c, const Padding *p) {
  const int extent = c->set->tile->extent[0];
  const int64_t missing = c->above + 1 - elements_of(c, p);
  return missing > 0 ? (int)((missing + extent - 1) / extent) : 0;
}

/* Pads of dimension `dim` and all outside it, those inside it being fixed. */
static void collect_pads(Collected *c, Padding p, int dim) {
  if (dim < 0) {
    collect(c, p);
    return;
  }
  const bool single = c->set->tile->extent[dim] == 1; /* one row has no stride */
  const int pads = single ? 1 : c->pads;
  for (int pad = dim ? 0 : least_pad(c, &p); pad < pads && c->count <= MOST_LISTED; pad++) {
    p.pad[dim] = (int16_t)pad;
    c->looked++;
    if (elements_of(c, &p) > c->upto) return; /* nor does any larger one fit */
    collect_pads(c, p, dim - 1);
  }
}

/* A period of one element without a pad is the plain layout. */
static void collect_all(Collected *c) {
  c->count = 0;
  if (c->set->tile->rank > 1) {
    collect_pads(c, (Padding){0}, c->set->tile->rank - 2);
    return;
  }
  collect(c, (Padding){0});
  for (int period = 1; period < c->set->tile->extent[0]; period *= 2)
    for (int pad = period == 1; pad < c->pads; pad++)
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

PaddingWalk strides_walk(const AccessSet *set, bool pads, Budget *b) {
  return (PaddingWalk){.set = set,
                       .budget = b,
                       .pads = pads ? pad_count(set) : 1,
                       .most = set->tile->want.max_bytes / set->tile->dtype->bytes,
                       .complete = true};
}

/* How far the next piece of the list goes: the plain strides alone, since mostly they do; then all
 * at once, or by steps that double where there may be too many. */
static int64_t next_goal(const PaddingWalk *w) {
  const KgenLayout plain = layout_plain(w->set->tile);
  const int64_t first = kgen_elements(&plain);
  int64_t goal = w->upto < first ? first : w->most;
  if (w->upto >= first && w->set->tile->rank > 2) goal = w->upto + (w->step ? w->step : first) * 2;
  return goal < w->most ? goal : w->most;
}

/* Fewer of them where they are too many; of too many that occupy as much, the first. */
static void list_more(PaddingWalk *w) {
  Collected c = {.set = w->set, .pads = w->pads, .above = w->upto, .padding = w->list};
  int64_t goal = next_goal(w);
  for (;; goal = w->upto + (goal - w->upto) / 2) {
    c.upto = goal;
    collect_all(&c);
    budget_spend(w->budget, 12 * c.looked + 60 * c.count);
    c.looked = 0;
    if (c.count <= MOST_LISTED || goal == w->upto + 1) break;
  }
  if (c.count > MOST_LISTED) {
    c.count = MOST_LISTED;
    w->complete = false;
  }
  w->step = goal - w->upto;
  w->upto = goal;
  w->count = c.count;
  w->next = 0;
  qsort(w->list, (size_t)w->count, sizeof w->list[0], by_bytes);
}

const Padding *strides_next(PaddingWalk *w) {
  if (!w->arena) {
    w->arena = arena_new();
    w->list = ARENA_ARRAY(w->arena, Padding, MOST_LISTED);
  }
  while (w->next == w->count && w->upto < w->most) list_more(w);
  return w->next < w->count ? &w->list[w->next++] : NULL;
}

void strides_end(PaddingWalk *w) {
  if (w->arena) arena_free(w->arena);
  w->arena = NULL;
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

/* Rows behind the last go on in the outermost dimension. */
static void place_coords(Arena *a, const Tile *t, Rows *r) {
  r->coord = arena_array(a, (size_t)1 << r->row_bits, sizeof *r->coord);
  for (int row = 0; row < 1 << r->row_bits; row++) {
    int left = row;
    for (int d = t->rank - 2; d > 0; d--) {
      r->coord[row][d] = left % t->extent[d];
      left /= t->extent[d];
    }
    r->coord[row][0] = left;
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
  place_coords(a, set->tile, &r);
  return r;
}

void rows_enter(Rows *r, const KgenLayout *l) {
  for (int d = 0; d < KGEN_MAX_RANK - 1; d++) r->stride[d] = d < l->rank - 1 ? l->stride[d] : 0;
  if (l->rank == 1) r->stride[0] = l->period ? l->stride[0] : 0;
  r->placed = false;
}

void rows_need(const Rows *r, const int32_t *row, int count) {
  for (int i = 0; i < count && !r->placed; i++) {
    const int32_t *at = r->coord[row[i]];
    r->base[row[i]] = at[0] * r->stride[0] + at[1] * r->stride[1] + at[2] * r->stride[2];
  }
}

void rows_place(Rows *r) {
  for (int32_t row = 0; row < 1 << r->row_bits; row++) rows_need(r, &row, 1);
  r->placed = true;
}

/* The rows one step from the first in each dimension: their starts are the strides. */
RowsVerdict rows_judge_strides(const Rows *r, const KgenLayout *l) {
  int row = 1;
  for (int d = l->rank - 2; d >= 0; d--) {
    if (l->extent[d] > 1 && l->stride[d] % r->unit[row]) return ROWS_MISALIGN;
    row *= l->extent[d];
  }
  return ROWS_HOLD;
}

/* A piece that a short period cuts is whole only without a pad, and then it starts where it does in
 * the plain tile. */
RowsVerdict rows_judge(const Rows *r, const KgenLayout *l) {
  const bool cut = l->period % r->max_unit != 0;
  if (cut && l->stride[0] != l->period) return ROWS_TEAR;
  for (int row = 0; row < layout_rows(l); row++)
    if (r->base[row] % (cut ? r->align : r->unit[row])) return ROWS_MISALIGN;
  return ROWS_HOLD;
}
