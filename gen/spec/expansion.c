/* SPDX-License-Identifier: MIT */
#include "spec/expansion.h"

#include <inttypes.h>
#include <string.h>

#include "spec/expr_eval.h"

/* --- names --- */

void expansion_set_lanes(Expansion *e, int warp) {
  const int *block = e->spec->block;
  for (int lane = 0; lane < WARP; lane++) {
    const int tid = warp * WARP + lane;
    e->value[SLOT_LANE][lane] = lane;
    e->value[SLOT_WARP][lane] = warp;
    e->value[SLOT_TID][lane] = tid;
    e->value[SLOT_TX][lane] = tid % block[0];
    e->value[SLOT_TY][lane] = tid / block[0] % block[1];
    e->value[SLOT_TZ][lane] = tid / block[0] / block[1];
  }
}

void expansion_set(Expansion *e, int slot, int64_t v) {
  for (int lane = 0; lane < WARP; lane++) e->value[slot][lane] = v;
}

uint32_t expansion_address_lanes(const AccessSpec *a) {
  return a->matrices == 1 || a->matrices == 2 ? (UINT32_C(1) << 8 * a->matrices) - 1 : UINT32_MAX;
}

bool expansion_active(Expansion *e, int warp, uint32_t *active) {
  const int left = spec_threads(e->spec) - warp * WARP;
  *active = left >= WARP ? UINT32_MAX : (UINT32_C(1) << left) - 1;
  *active &= expansion_address_lanes(e->access);
  if (!e->access->when) return true;
  int64_t holds[WARP];
  const WarpEnv env = {(const int64_t(*)[WARP])e->value, *active, false};
  if (!expr_eval_warp(e->access->when, &env, e->diag, holds)) return false;
  for (int lane = 0; lane < WARP; lane++)
    if (!holds[lane]) *active &= ~(UINT32_C(1) << lane);
  return true;
}

bool expansion_next_iteration(Expansion *e) {
  for (int i = e->access->loops - 1; i >= 0; i--) {
    if (++e->turn[i] < e->access->loop[i].count) return true;
    e->turn[i] = 0;
  }
  return false;
}

/* --- messages --- */

const char *expansion_where(const Expansion *e, int lane) {
  Text t = text_new(e->arena);
  text_printf(&t, "lane %d of warp %d", lane, (int)e->value[SLOT_WARP][lane]);
  for (int i = 0; i < e->access->loops; i++)
    text_printf(&t, ", %s = %lld", e->access->loop[i].name, (long long)e->turn[i]);
  return t.s;
}

Loc expansion_loc(const Expansion *e, int dim) {
  const Expr *at = e->access->at[e->access->linear ? 0 : dim];
  return at ? at->loc : e->access->loc;
}

const char *expansion_dim(const Expansion *e, int dim) {
  const char *name = e->tile->dim[dim];
  return strcmp(name, tile_default_dim(e->tile->rank, dim)) == 0
             ? arena_printf(e->arena, "dimension %d", dim)
             : arena_printf(e->arena, "'%s'", name);
}

/* --- dimensions --- */

int expansion_dims(const Expansion *e) { return e->access->linear ? 1 : e->tile->rank; }

void expansion_lose_unread(Expansion *e) {
  const bool linear = e->access->linear || e->access->lanes;
  for (int d = 0; d < KGEN_MAX_RANK; d++)
    e->lost[d] = (!e->access->lanes && !e->access->at[d]) ||
                 (linear ? tile_elements(e->tile) : e->tile->extent[d]) == 0;
}

bool expansion_all_lost(const Expansion *e) {
  bool all = true;
  for (int d = 0; d < expansion_dims(e); d++) all = all && e->lost[d];
  return all;
}

bool expansion_any_lost(const Expansion *e) {
  bool any = false;
  for (int d = 0; d < expansion_dims(e); d++) any = any || e->lost[d];
  return any;
}

bool expansion_set_linear(Expansion *e, WarpAccess *w, int lane, int64_t index) {
  const int n = tile_elements(e->tile);
  if (index < 0 || index >= n) {
    diag_error(e->diag, expansion_loc(e, 0), "access '%s' leaves the tile: element %lld of %d (%s)",
               e->access->name, (long long)index, n, expansion_where(e, lane));
    return false;
  }
  tile_place_lane(e->tile, index, w, lane);
  return true;
}

static bool set_coord(Expansion *e, WarpAccess *w, int lane, int dim, int64_t v) {
  if (v >= 0 && v < e->tile->extent[dim]) {
    w->coord[dim][lane] = (int32_t)v;
    return true;
  }
  diag_error(e->diag, expansion_loc(e, dim),
             "access '%s' leaves the tile: index %lld of %s, which has %d (%s)", e->access->name,
             (long long)v, expansion_dim(e, dim), e->tile->extent[dim], expansion_where(e, lane));
  return false;
}

bool expansion_resolve(Expansion *e, WarpAccess *w, int dim) {
  const WarpEnv env = {(const int64_t(*)[WARP])e->value, w->active, false};
  int64_t v[WARP];
  bool ok = expr_eval_warp(e->access->at[dim], &env, e->diag, v);
  for (uint32_t m = w->active; ok && m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    ok = e->access->linear ? expansion_set_linear(e, w, lane, v[lane])
                           : set_coord(e, w, lane, dim, v[lane]);
  }
  return ok;
}

static int64_t nodes_of(const AccessSpec *a) {
  int64_t nodes = a->when ? a->when->nodes : 0;
  for (int d = 0; d < KGEN_MAX_RANK; d++) {
    if (a->at[d]) nodes += a->at[d]->nodes;
    if (a->from[d]) nodes += a->from[d]->nodes;
  }
  return nodes;
}

static bool spend(const Expansion *e, int64_t instructions) {
  const int64_t each = nodes_of(e->access) * EXPAND_NODE_STEPS + EXPAND_STEPS;
  const int64_t steps = instructions * each, left = budget_rest(e->budget);
  budget_spend(e->budget, steps < left ? steps : left);
  if (steps <= left) return true;
  diag_error(e->diag, e->access->loc,
             "access '%s' takes %" PRId64 " steps to evaluate, and %" PRId64
             " are left of the spec's budget",
             e->access->name, steps, left);
  diag_hint(e->diag,
            "%" PRId64 " instructions of %" PRId64
            " steps: use fewer loop iterations or shorter expressions",
            instructions, each);
  return false;
}

int64_t expansion_limit(const Expansion *e, int64_t left) {
  int64_t n = e->access->lanes ? 1 : (spec_threads(e->spec) + WARP - 1) / WARP;
  for (int i = 0; i < e->access->loops; i++) {
    n *= e->access->loop[i].count;
    if (n > ACCESS_MAX_WARPS) break;
  }
  if (n <= left) return spend(e, n) ? n : 0;
  diag_error(e->diag, e->access->loc, "with access '%s' the tile has more than %d instructions",
             e->access->name, ACCESS_MAX_WARPS);
  return 0;
}

bool expansion_is_sized(const Expansion *e) { return tile_elements(e->tile) > 0; }
