/* SPDX-License-Identifier: MIT */
#include "solve/rows.h"

/* Every row that a lane of several elements touches keeps them together. They lie in one row, save
 * those of a rank-1 tile whose period is shorter. */
static void demand_units(const AccessSet *set, int width, int32_t *unit) {
  const KgenLayout plain = layout_plain(set->tile);
  for (int i = 0; i < set->accesses; i++) {
    const Access *a = &set->access[i];
    const int rows = a->elements > width ? a->elements / width : 1;
    for (int w = 0; a->elements > 1 && w < a->warps; w++) {
      int64_t index[WARP];
      layout_addresses(&plain, 1, &a->warp[w], index);
      for (uint32_t m = a->warp[w].active; m; m &= m - 1) {
        const int64_t row = index[__builtin_ctz(m)] / width;
        for (int64_t r = row; r < row + rows; r++)
          if (unit[r] < a->elements) unit[r] = a->elements;
      }
    }
  }
}

static void place_coords(const KgenLayout *t, Rows *r) {
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
  KgenLayout l = period ? layout_flat(set->tile) : layout_plain(set->tile);
  l.period = period;
  const int bytes = set->tile->dtype->bytes;
  Rows r = {.rows = layout_rows(&l),
            .align = set->tile->want.align > bytes ? set->tile->want.align / bytes : 1};
  while (1 << r.row_bits < r.rows) r.row_bits++;
  int32_t *unit = ARENA_ARRAY(a, int32_t, (size_t)1 << r.row_bits);
  for (int row = 0; row < 1 << r.row_bits; row++) unit[row] = row < r.rows ? r.align : 1;
  demand_units(set, layout_cols(&l), unit);
  r.min_unit = r.max_unit = unit[0];
  for (int row = 1; row < r.rows; row++) {
    if (unit[row] > r.max_unit) r.max_unit = unit[row];
    if (unit[row] < r.min_unit) r.min_unit = unit[row];
  }
  r.unit = unit;
  if (period) return r;
  r.coord = arena_array(a, (size_t)1 << r.row_bits, sizeof *r.coord);
  place_coords(&l, &r);
  return r;
}

int rows_coordinate_bits(const Tile *t, int dim) {
  int bits = 0;
  while (1 << bits < t->extent[dim]) bits++;
  return bits;
}

int rows_coordinate_base(const Tile *t, int dim) {
  int base = 0;
  for (int d = t->rank - 1; d > dim; d--) base += rows_coordinate_bits(t, d);
  return base;
}

Rows rows_of_coordinates(Arena *a, const AccessSet *set, int low, int targets, const int *target) {
  const Tile *t = set->tile;
  const int bits = rows_coordinate_bits(t, 0) + rows_coordinate_base(t, 0);
  const int n = tile_elements(t) >> low;
  const KgenLayout plain = layout_plain(t);
  Rows r = {.rows = 1 << (bits - low),
            .row_bits = bits - low,
            .align = set->tile->want.align > t->dtype->bytes
                         ? set->tile->want.align / t->dtype->bytes
                         : 1};
  int32_t *start = ARENA_ARRAY(a, int32_t, (size_t)r.rows);
  int32_t *unit = ARENA_ARRAY(a, int32_t, (size_t)r.rows);
  int32_t *row_of = ARENA_ARRAY(a, int32_t, (size_t)n);
  for (int row = 0; row < r.rows; row++)
    for (int d = 0, left = row << low, base; d < t->rank; d++, left &= (1 << base) - 1) {
      base = rows_coordinate_base(t, d);
      start[row] += (left >> base) * plain.stride[d];
    }
  for (int i = 0; i < n; i++) {
    int coord[KGEN_MAX_RANK], row = 0;
    tile_coord(t, i << low, coord);
    for (int d = 0; d < t->rank; d++) row |= coord[d] << rows_coordinate_base(t, d);
    row_of[i] = row >> low;
  }
  int32_t *images = targets ? ARENA_ARRAY(a, int32_t, (size_t)1 << targets) : NULL;
  for (int v = 1; v < 1 << targets; v++)
    images[v] = images[v & (v - 1)] | 1 << (target[__builtin_ctz((unsigned)v)] - low);
  r.low = low;
  r.start = start;
  r.row_of = row_of;
  r.spread = images;
  for (int row = 0; row < r.rows; row++) unit[row] = 1 << low;
  r.unit = unit;
  r.min_unit = r.max_unit = 1 << low;
  return r;
}

int32_t rows_start_bits(const Rows *r) {
  int32_t bits = 0, step = 1;
  for (; step < 1 << r->row_bits; step *= 2) bits |= rows_start(r, step);
  return bits;
}

/* A piece that a short period cuts is whole only without a pad, and then it starts where it does in
 * the plain tile. */
RowsVerdict rows_enter(Rows *r, const KgenLayout *l) {
  for (int d = 0; d < KGEN_MAX_RANK - 1; d++) r->stride[d] = d < l->rank - 1 ? l->stride[d] : 0;
  if (l->rank == 1) r->stride[0] = l->period ? l->stride[0] : 0;
  if (l->period % r->max_unit) {
    if (l->stride[0] != l->period) return ROWS_TEAR;
    return l->period % r->align ? ROWS_MISALIGN : ROWS_HOLD;
  }
  if (rows_start_bits(r) % r->max_unit == 0) return ROWS_HOLD;
  for (int row = 1; row < r->rows; row++)
    if (rows_start(r, row) % r->unit[row]) return ROWS_MISALIGN;
  return ROWS_HOLD;
}

void rows_multiples(const Rows *r, const Tile *t, int multiple[KGEN_MAX_RANK - 1]) {
  int step = 1;
  for (int d = t->rank - 2; d >= 0; d--) {
    multiple[d] = t->extent[d] > 1 ? r->unit[step] : 1;
    step *= t->extent[d];
  }
}
