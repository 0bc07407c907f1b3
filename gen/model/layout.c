#include "model/layout.h"

#include <string.h>

KgenLayout layout_plain(const Tile *tile) {
  KgenLayout l = {.rank = tile->rank};
  int stride = 1;
  for (int d = tile->rank - 1; d >= 0; d--) {
    l.extent[d] = tile->extent[d];
    l.stride[d] = stride;
    stride *= tile->extent[d];
  }
  return l;
}

KgenLayout layout_cut(const KgenLayout *plain, int period, int pad) {
  KgenLayout l = *plain;
  l.period = period;
  l.stride[0] = period + pad;
  l.stride[1] = 1;
  return l;
}

int layout_offset(const KgenLayout *l, const int coord[KGEN_MAX_RANK]) {
  switch (l->rank) {
  case 1: return kgen_offset1(l, coord[0]);
  case 2: return kgen_offset2(l, coord[0], coord[1]);
  case 3: return kgen_offset3(l, coord[0], coord[1], coord[2]);
  case 4: return kgen_offset4(l, coord[0], coord[1], coord[2], coord[3]);
  }
  die("a layout of rank %d", l->rank);
}

void layout_coord(const KgenLayout *l, int index, int coord[KGEN_MAX_RANK]) {
  memset(coord, 0, KGEN_MAX_RANK * sizeof *coord);
  for (int d = l->rank - 1; d >= 0; d--) {
    coord[d] = index % l->extent[d];
    index /= l->extent[d];
  }
}

int layout_lane(const KgenLayout *l, const WarpAccess *w, int lane) {
  int coord[KGEN_MAX_RANK];
  for (int d = 0; d < KGEN_MAX_RANK; d++) coord[d] = w->coord[d][lane];
  return layout_offset(l, coord);
}

int layout_rows(const KgenLayout *l) {
  if (l->rank == 1) return l->period ? (l->extent[0] - 1) / l->period + 1 : 1;
  int rows = 1;
  for (int d = 0; d < l->rank - 1; d++) rows *= l->extent[d];
  return rows;
}

int layout_cols(const KgenLayout *l) { return l->period ? l->period : l->extent[l->rank - 1]; }

int64_t layout_bytes(const KgenLayout *l, int element_bytes) {
  return (int64_t)kgen_elements(l) * element_bytes;
}

const char *layout_kind(const KgenLayout *l) {
  const bool pad = kgen_elements(l) > layout_rows(l) * layout_cols(l);
  if (pad) return l->terms ? "pad+xor" : "pad";
  return l->terms ? "xor" : "none";
}

void layout_addresses(const KgenLayout *l, int element_bytes, const WarpAccess *w,
                      int64_t address[WARP]) {
  for (int lane = 0; lane < WARP; lane++)
    address[lane] = (int64_t)layout_lane(l, w, lane) * element_bytes;
}

int layout_mask_bits(const KgenLayout *l) {
  int bits = 0;
  for (int i = 0; i < l->terms; i++) bits += __builtin_popcount((unsigned)l->term[i].mask);
  return bits;
}

/* XOR permutes a row exactly if X(row) only has bits below the lowest set bit of the width. */
static bool rows_keep_elements(const KgenLayout *l) {
  const int cols = layout_cols(l), limit = cols & -cols, rows = layout_rows(l);
  if (l->terms == 0) return true;
  for (int row = 0; row < rows; row++)
    if (kgen_swizzle(l, row) >= limit) return false;
  return true;
}

/* `align` asks that every aligned piece of a row stays one: strides and XOR in whole pieces. */
static bool align_holds(const KgenLayout *l, int element_bytes, int align) {
  const int piece = align > element_bytes ? align / element_bytes : 1;
  const int rows = layout_rows(l), strides = l->period ? 1 : l->rank - 1;
  if (l->period % piece) return false;
  for (int d = 0; d < strides; d++)
    if (l->extent[d] > 1 && l->stride[d] % piece) return false;
  for (int row = 0; l->terms && row < rows; row++)
    if (kgen_swizzle(l, row) % piece) return false;
  return true;
}

/* A lane's elements must stay side by side, and start where the hardware wants them: at a multiple
 * of their size. */
static bool lane_holds(const KgenLayout *l, const WarpAccess *w, int lane, int elements) {
  int coord[KGEN_MAX_RANK];
  for (int d = 0; d < KGEN_MAX_RANK; d++) coord[d] = w->coord[d][lane];
  const int first = layout_offset(l, coord);
  if (first % elements) return false;
  for (int k = 1; k < elements; k++) {
    coord[l->rank - 1]++;
    if (layout_offset(l, coord) != first + k) return false;
  }
  return true;
}

static bool access_holds(const KgenLayout *l, const Access *a) {
  for (int i = 0; a->elements > 1 && i < a->warps; i++)
    for (uint32_t m = a->warp[i].active; m; m &= m - 1)
      if (!lane_holds(l, &a->warp[i], __builtin_ctz(m), a->elements)) return false;
  return true;
}

bool layout_serves(const KgenLayout *l, const AccessSet *set) {
  for (int i = 0; i < set->accesses; i++)
    if (!access_holds(l, &set->access[i])) return false;
  return true;
}

bool layout_admissible(const KgenLayout *l, const AccessSet *set) {
  const Tile *t = set->tile;
  if (layout_bytes(l, t->dtype->bytes) > t->want.max_bytes) return false;
  return rows_keep_elements(l) && align_holds(l, t->dtype->bytes, t->want.align) &&
         layout_serves(l, set);
}
