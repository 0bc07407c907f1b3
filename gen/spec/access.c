/* SPDX-License-Identifier: MIT */
#include "spec/access.h"

#include "spec/access_boxes.h"
#include "spec/access_source.h"

/* The lane's last element must be in the tile, too, and its first one at an allowed start of a
 * vector. */
static bool vector_fits(Expansion *e, const WarpAccess *w, int lane) {
  const int last = e->tile->rank - 1, col = w->coord[last][lane];
  if (col + e->elements > e->tile->extent[last]) {
    diag_error(e->diag, expansion_loc(e, last),
               "access '%s' leaves the tile: elements %d to %d of a dimension of %d (%s)",
               e->access->name, col, col + e->elements - 1, e->tile->extent[last],
               expansion_where(e, lane));
    return false;
  }
  if (col % e->elements) {
    diag_error(e->diag, expansion_loc(e, last),
               "access '%s' is misaligned: a lane of %d elements starts at element %d (%s)",
               e->access->name, e->elements, col, expansion_where(e, lane));
    return false;
  }
  return true;
}

/* Resolves one instruction. Only the first error of each dimension is reported. */
static void place_lanes(Expansion *e, WarpAccess *w) {
  const int last = expansion_dims(e) - 1;
  for (int d = 0; d <= last; d++)
    if (!e->lost[d]) e->lost[d] = !expansion_resolve(e, w, d);
  for (uint32_t m = w->active; m && !e->lost[last]; m &= m - 1)
    e->lost[last] = !vector_fits(e, w, __builtin_ctz(m));
}

/* Expands all warps of the block for one iteration of the loops; false if `when` has no value. */
static bool expand_turn(Expansion *e) {
  const int warps = (spec_threads(e->spec) + WARP - 1) / WARP;
  for (int i = 0; i < e->access->loops; i++) expansion_set(e, e->access->loop[i].slot, e->turn[i]);
  for (int warp = 0; warp < warps; warp++) {
    WarpAccess *w = &e->out[e->count];
    expansion_set_lanes(e, warp);
    if (!expansion_active(e, warp, &w->active)) return false;
    if (w->active == 0) continue;
    place_lanes(e, w);
    if (e->source && !expansion_any_lost(e) && !source_resolve(e, w)) return false;
    e->issue[e->count++] = e->issued + warp;
  }
  e->issued += warps;
  return true;
}

static bool expand_expressions(Expansion *e) {
  for (int slot = 0; slot < e->access->names.count; slot++)
    expansion_set(e, slot, e->access->value[slot]);
  do
    if (!expand_turn(e)) return false;
  while (!expansion_all_lost(e) && expansion_next_iteration(e));
  return !expansion_any_lost(e);
}

/* `lanes` specifies one instruction directly. */
static bool expand_list(Expansion *e) {
  WarpAccess *w = &e->out[0];
  if (e->lost[0]) return false;
  for (int lane = 0; lane < WARP; lane++) {
    if (e->access->lanes[lane] < 0 || !(expansion_address_lanes(e->access) >> lane & 1)) continue;
    if (!expansion_set_linear(e, w, lane, e->access->lanes[lane]) || !vector_fits(e, w, lane))
      return false;
    w->active |= UINT32_C(1) << lane;
  }
  if (e->source) source_default(e, w);
  e->count = w->active != 0;
  return true;
}

/* Sets the properties that do not depend on the lanes. */
static void begin_access(Expansion *e, Access *out) {
  const AccessSpec *a = e->access;
  const int bytes = e->tile->dtype ? e->tile->dtype->bytes : 1;
  out->name = a->name;
  out->loc = a->loc;
  out->op = a->op;
  out->weight = a->weight;
  out->bytes_per_lane = op_moves_matrices(a->op) ? 16 : a->vector * bytes;
  out->elements = e->elements = e->tile->dtype ? out->bytes_per_lane / bytes : 1;
  if (op_moves_boxes(a->op)) out->bytes_per_lane = out->elements = 0;
}

static bool expand_access(Expansion *e, int64_t left, Access *out) {
  const AccessSpec *a = e->access;
  begin_access(e, out);
  if (a->at[0] || !op_moves_boxes(a->op)) expansion_lose_unread(e);
  if (op_moves_boxes(a->op)) return boxes_expand(e, left, out);
  const int64_t limit = a->unread || e->tile->rank == 0 ? 0 : expansion_limit(e, left);
  if (limit == 0) return false;
  e->out = ARENA_ARRAY(e->arena, WarpAccess, (size_t)limit);
  e->issue = ARENA_ARRAY(e->arena, int, (size_t)limit);
  if (a->op == OP_CP_ASYNC && e->tile->dtype)
    e->source = arena_array(e->arena, (size_t)limit, sizeof(*e->source));
  if (!(a->lanes ? expand_list(e) : expand_expressions(e))) return false;
  out->warp = e->out;
  out->warps = e->count;
  out->issue = e->issue;
  out->cache = a->cache;
  out->source = (const int64_t(*)[WARP])e->source;
  /* a kernel template's access may be for other params */
  if (out->warps > 0 || a->times) return true;
  diag_error(e->diag, a->loc, "access '%s' has no active lane", a->name);
  return false;
}

const AccessSet *access_expand(Arena *a, Diag *d, const Spec *spec, const TileSpec *tile,
                               Budget *b) {
  Arena *scratch = arena_new();
  AccessSet *set = ARENA_NEW(a, AccessSet);
  Access *access = ARENA_ARRAY(a, Access, (size_t)tile->accesses);
  int64_t left = ACCESS_MAX_WARPS;
  bool ok = true;
  for (int i = 0; i < tile->accesses; i++) {
    Expansion *e = ARENA_NEW(scratch, Expansion); /* 40 KB */
    *e = (Expansion){.arena = a,
                     .diag = d,
                     .budget = b,
                     .spec = spec,
                     .tile = &tile->tile,
                     .access = &tile->access[i]};
    ok = expand_access(e, left, &access[i]) && ok;
    left -= access[i].warps;
    arena_clear(scratch);
  }
  arena_free(scratch);
  *set = (AccessSet){&tile->tile, spec->banks, tile->accesses, access, 0, false};
  return ok ? set : NULL;
}
