/* SPDX-License-Identifier: MIT */
#include "spec/access_boxes.h"

#include "model/tensor_map.h"

/* The largest divisor of `extent` that a box may have as an extent. */
static int divisor_within(int extent, int most) {
  int n = extent < most ? extent : most;
  while (extent % n) n--;
  return n;
}

/* The distance in bytes between elements that are adjacent in the dimension. */
static int64_t pitch_of(const Expansion *e, int dim) {
  int64_t pitch = e->tile->dtype ? e->tile->dtype->bytes : 0;
  for (int d = dim + 1; d < e->tile->rank; d++) pitch *= e->tile->extent[d];
  return pitch;
}

/* True if rows along k hold half of what wgmma takes, so that an operand spans two matrices. */
static bool needs_two_matrices(const Expansion *e) {
  const int rank = e->tile->rank;
  const bool along_k = op_is_wgmma(e->access->op) && e->access->major == MAJOR_K;
  if (!along_k || rank < 3 || e->tile->extent[rank - 3] % 2) return false;
  return 2 * pitch_of(e, rank - 2) == WGMMA_K_BYTES;
}

/* The default box is a matrix, or as much of it as a box may hold. */
static void default_box(const Expansion *e, int box[KGEN_MAX_RANK]) {
  const int last = e->tile->rank - 1;
  for (int d = 0; d <= last; d++) {
    const bool inner = d >= last - 1;
    box[d] = inner ? divisor_within(e->tile->extent[d], TENSOR_MAX_BOX) : 1;
    if (inner && op_is_wgmma(e->access->op)) box[d] = e->tile->extent[d];
  }
  if (last > 0 && box[last] < e->tile->extent[last]) box[last - 1] = 1;
  if (needs_two_matrices(e)) box[last - 2] = 2;
}

/* TMA stores a box's elements contiguously, so they must be contiguous in the tile. */
static bool box_is_whole(Expansion *e, const int box[KGEN_MAX_RANK]) {
  int d = 0;
  while (d < e->tile->rank && box[d] == 1) d++;
  for (d++; d < e->tile->rank; d++) {
    if (box[d] == e->tile->extent[d]) continue;
    diag_error(e->diag, e->access->loc,
               "a box of %d in %s, which has %d, would not lie in the tile as TMA stores it: side "
               "by side",
               box[d], expansion_dim(e, d), e->tile->extent[d]);
    return false;
  }
  return true;
}

/* True if the box whose corner is at lane 0's element is in the tile. */
static bool box_fits(Expansion *e, const WarpAccess *w, const int box[KGEN_MAX_RANK]) {
  for (int d = 0; d < e->tile->rank; d++) {
    if (w->coord[d][0] + box[d] <= e->tile->extent[d]) continue;
    diag_error(e->diag, expansion_loc(e, d),
               "access '%s' leaves the tile: %d to %d of %s, which has %d", e->access->name,
               w->coord[d][0], w->coord[d][0] + box[d] - 1, expansion_dim(e, d),
               e->tile->extent[d]);
    return false;
  }
  return true;
}

/* Checks that a box holds the elements along k that one wgmma takes: in each row, or as rows.
 * One-dimensional tiles have been rejected before. */
static bool box_holds_k(Expansion *e, const Access *out) {
  const AccessSpec *a = e->access;
  const Dtype *t = e->tile->dtype;
  const int last = e->tile->rank - 1, step = t ? WGMMA_K_BYTES / t->bytes : 1;
  if (last == 0) return false;
  int64_t k = a->major == MAJOR_MN ? out->box[last - 1] : out->box[last];
  for (int d = 0; d < last - 1 && a->major == MAJOR_K; d++) k *= out->box[d];
  if (k % step == 0) return true;
  diag_error(e->diag, a->box[0] ? a->box_loc : a->loc,
             "wgmma takes %d elements of k at a time, and a box of access '%s' has %lld", step,
             a->name, (long long)k);
  return false;
}

/* TMA faults on boxes with any other start address in shared memory. */
static bool box_begins_well(Expansion *e, const int32_t corner[KGEN_MAX_RANK], Access *out) {
  int64_t byte = 0;
  int wrong = -1;
  for (int d = e->tile->rank - 1; d >= 0 && !op_is_wgmma(out->op); d--) {
    byte += corner[d] * pitch_of(e, d);
    if (corner[d] * pitch_of(e, d) % TILE_ALIGN) wrong = d;
  }
  out->box_starts |= byte;
  if (byte % TILE_ALIGN == 0) return true;
  const bool placed = e->access->at[0] != NULL, sized = e->access->box[0] != 0;
  diag_error(e->diag,
             placed  ? expansion_loc(e, wrong)
             : sized ? e->access->box_loc
                     : e->access->loc,
             "access '%s' moves a box at byte %lld of the tile, but TMA asks for multiples of %d",
             e->access->name, (long long)byte, TILE_ALIGN);
  return false;
}

/* One box per iteration of the loops, issued by one thread. */
static bool count_placed(Expansion *e, Access *out) {
  WarpAccess w = {.active = 1};
  int32_t(*at)[KGEN_MAX_RANK] = NULL;
  int capacity = 0;
  for (int slot = 0; slot < e->access->names.count; slot++)
    expansion_set(e, slot, e->access->value[slot]);
  do {
    uint32_t active;
    for (int i = 0; i < e->access->loops; i++)
      expansion_set(e, e->access->loop[i].slot, e->turn[i]);
    expansion_set_lanes(e, 0);
    if (!expansion_active(e, 0, &active)) return false;
    if (!(active & 1)) continue;
    for (int d = 0; d < expansion_dims(e); d++)
      if (!e->lost[d]) e->lost[d] = !expansion_resolve(e, &w, d);
    if (expansion_any_lost(e) || !box_fits(e, &w, out->box)) return false;
    at = arena_grow(e->arena, at, out->boxes, &capacity, sizeof *at);
    for (int d = 0; d < KGEN_MAX_RANK; d++) at[out->boxes][d] = w.coord[d][0];
    if (!box_begins_well(e, at[out->boxes], out)) return false;
    out->boxes++;
  } while (expansion_next_iteration(e));
  out->corner = (const int32_t(*)[KGEN_MAX_RANK])at;
  return true;
}

/* All boxes start at valid addresses if the second one in each dimension does. */
static bool cover_begins_well(Expansion *e, Access *out) {
  for (int d = 0; d < e->tile->rank; d++) {
    int32_t corner[KGEN_MAX_RANK] = {0};
    if (out->box[d] == e->tile->extent[d]) continue;
    corner[d] = out->box[d];
    if (!box_begins_well(e, corner, out)) return false;
  }
  return true;
}

static bool count_covering(Expansion *e, Access *out) {
  out->boxes = 1;
  for (int d = 0; d < e->tile->rank; d++) {
    if (e->tile->extent[d] % out->box[d]) {
      diag_error(e->diag, e->access->loc, "boxes of %d do not cover %s, which has %d", out->box[d],
                 expansion_dim(e, d), e->tile->extent[d]);
      return false;
    }
    out->boxes *= e->tile->extent[d] / out->box[d];
  }
  return cover_begins_well(e, out);
}

bool boxes_expand(Expansion *e, int64_t left, Access *out) {
  const AccessSpec *a = e->access;
  if (a->unread || !expansion_is_sized(e) || expansion_limit(e, left) == 0) return false;
  out->major = a->major;
  default_box(e, out->box);
  for (int d = 0; a->box[0] && d < e->tile->rank; d++) out->box[d] = a->box[d];
  if (!(op_is_wgmma(a->op) ? box_holds_k(e, out) : box_is_whole(e, out->box))) return false;
  if (!(a->at[0] ? count_placed(e, out) : count_covering(e, out))) return false;
  if (out->boxes == 0) diag_error(e->diag, a->loc, "access '%s' moves no box", a->name);
  return out->boxes > 0;
}
