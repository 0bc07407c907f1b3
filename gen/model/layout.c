/* SPDX-License-Identifier: MIT */
#include "model/layout.h"

#include <string.h>

#include "base/number.h"

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

KgenLayout layout_flat(const Tile *tile) {
  return (KgenLayout){.rank = 1, .extent = {tile_elements(tile)}, .stride = {1}};
}

KgenLayout layout_cut(const KgenLayout *plain, int period, int pad) {
  KgenLayout l = *plain;
  l.period = period;
  l.stride[0] = period + pad;
  l.stride[1] = 1;
  return l;
}

int layout_offset(const KgenLayout *l, const int coord[KGEN_MAX_RANK]) {
  return kgen_place(l, coord[0], coord[1], coord[2], coord[3]);
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
  if (l->linear) return "linear";
  if (pad) return l->terms ? "pad+xor" : "pad";
  return l->terms ? "xor" : "none";
}

void layout_addresses(const KgenLayout *l, int element_bytes, const WarpAccess *w,
                      int64_t address[WARP]) {
  for (int lane = 0; lane < WARP; lane++)
    address[lane] = (int64_t)layout_lane(l, w, lane) * element_bytes;
}

bool layout_is_within_rows(const KgenLayout *l) {
  for (int i = 0; i < l->terms; i++)
    if (l->term[i].source != KGEN_ROW || l->term[i].target) return false;
  return !l->linear;
}

int layout_swizzle(const KgenLayout *l, int row) {
  int x = 0;
  for (int i = 0; i < l->terms; i++) x ^= kgen_term(&l->term[i], row);
  return x;
}

/* Drops the mask bits that a left shift always leaves 0. */
static KgenTerm clean_term(KgenTerm t) {
  if (t.shift < 0) t.mask = (int)((unsigned)t.mask >> -t.shift << -t.shift);
  return t;
}

int layout_first_changed(const KgenLayout *l) {
  int first = l->rank - 1;
  for (int i = 0; i < l->terms; i++) {
    const KgenTerm t = clean_term(l->term[i]);
    if (t.mask && t.target && t.target - 1 < first) first = t.target - 1;
  }
  return first;
}

bool layout_is_together(const KgenLayout *l, int first) {
  for (int d = l->rank - 1, stride = 1; d > first; d--) {
    if (l->stride[d] != stride || !number_is_power(l->extent[d])) return false;
    stride *= l->extent[d];
    if (l->stride[d - 1] != stride) return false;
  }
  return true;
}

int layout_join_terms(const KgenLayout *l, KgenTerm *out) {
  const bool together = layout_is_together(l, layout_first_changed(l));
  int count = 0;
  for (int i = 0; i < l->terms; i++) {
    KgenTerm t = clean_term(l->term[i]);
    const int up = together && t.target ? number_log2(l->stride[t.target - 1]) : 0;
    int at = 0;
    t.shift -= up;
    t.mask <<= up;
    if (together) t.target = 0;
    while (at < count &&
           (out[at].source != t.source || out[at].shift != t.shift || out[at].target != t.target))
      at++;
    if (at == count)
      out[count++] = t;
    else
      out[at].mask ^= t.mask;
  }
  return count;
}

/* XOR permutes a row exactly if X(row) has only bits below the lowest set bit of the row's
 * width. */
static bool rows_keep_elements(const KgenLayout *l, int piece) {
  const int cols = layout_cols(l), limit = cols & -cols, rows = layout_rows(l);
  if (l->terms == 0) return true;
  for (int row = 0; row < rows; row++) {
    const int x = layout_swizzle(l, row);
    if (x >= limit || x % piece) return false;
  }
  return true;
}

/* True if every element has its own offset within the tile, and aligned units of `piece` elements
 * stay contiguous and aligned. */
static bool places_hold(const KgenLayout *l, int piece) {
  Arena *a = arena_new();
  int n = 1;
  for (int d = 0; d < l->rank; d++) n *= l->extent[d];
  bool *taken = ARENA_ARRAY(a, bool, (size_t)kgen_elements(l)), holds = layout_cols(l) % piece == 0;
  for (int i = 0, first = 0; i < n && holds; i++) {
    int coord[KGEN_MAX_RANK];
    layout_coord(l, i, coord);
    const int at = layout_offset(l, coord);
    holds = at >= 0 && at < kgen_elements(l) && !taken[at];
    if (!holds) break;
    if (i % piece == 0) first = at;
    holds = at == first + i % piece && first % piece == 0;
    taken[at] = true;
  }
  arena_free(a);
  return holds;
}

/* True if every aligned unit of `align` bytes within a row stays whole: strides and XOR values are
 * multiples of the unit. */
static bool elements_hold(const KgenLayout *l, int element_bytes, int align) {
  const int piece = align > element_bytes ? align / element_bytes : 1;
  const int strides = l->period ? 1 : l->rank - 1;
  if (l->period % piece) return false;
  for (int d = 0; d < strides; d++)
    if (l->extent[d] > 1 && l->stride[d] % piece) return false;
  return layout_is_within_rows(l) ? rows_keep_elements(l, piece) : places_hold(l, piece);
}

int layout_mask_bits(const KgenLayout *l) {
  KgenTerm term[KGEN_MAX_TERMS];
  int bits = 0;
  for (int i = layout_join_terms(l, term) - 1; i >= 0; i--)
    bits += __builtin_popcount((unsigned)term[i].mask);
  return bits;
}

/* True if the lane's elements stay contiguous and start at a multiple of their total size, as the
 * hardware requires. */
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
  return elements_hold(l, t->dtype->bytes, t->want.align) && layout_serves(l, set);
}
