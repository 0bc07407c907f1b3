/* SPDX-License-Identifier: MIT */
/* kgen_solve.c: tiles without a spec: solves them, or costs a user-specified placement. */
#include <string.h>

#include "emit/cute.h"
#include "emit/explain.h"
#include "emit/offset.h"
#include "emit/plan_json.h"
#include "kgen_tile.h"
#include "model/cost.h"
#include "model/modes.h"
#include "solve/solve.h"

/* A result and its plan, which kgen_result_*() read later. */
typedef struct {
  KgenResult shown; /* first: a KgenResult * is a Verdict * */
  Plan plan;
} Verdict;

/* --- results --- */

static KgenPlacement placement_of(const KgenLayout *l) {
  KgenPlacement p = {.period = l->period, .xors = l->terms, .linear = l->linear};
  for (int d = 0; d < (l->period ? 2 : l->rank); d++) p.stride[d] = l->stride[d];
  for (int i = 0; i < l->terms; i++) {
    p.xor_term[i].shift = l->term[i].shift;
    p.xor_term[i].mask = l->term[i].mask;
    p.xor_term[i].source = l->term[i].source;
    p.xor_term[i].target = l->term[i].target;
  }
  return p;
}

static const KgenCost *costs_of(Arena *a, const AccessSet *set, const Solution *s) {
  KgenCost *cost = ARENA_ARRAY(a, KgenCost, (size_t)set->accesses);
  for (int i = 0; i < set->accesses; i++)
    cost[i] = (KgenCost){.name = set->access[i].name,
                         .bytes_per_lane = set->access[i].bytes_per_lane,
                         .instructions = set->access[i].warps,
                         .wavefronts = s->cost[i].wavefronts,
                         .ideal = s->cost[i].ideal,
                         .plain = s->unswizzled ? s->unswizzled[i].wavefronts : -1,
                         .worst = s->cost[i].worst};
  return cost;
}

/* True if rows (or periods of a rank-1 tile) are contiguous and do not overlap: the layout space
 * contains only such strides. */
static bool is_of_family(const KgenLayout *l) {
  const int last = l->period ? 1 : l->rank - 1;
  if (l->stride[last] != 1) return false;
  if (l->period) return l->stride[0] >= l->period;
  for (int d = 0; d < last; d++)
    if (l->stride[d] < l->extent[d + 1] * l->stride[d + 1]) return false;
  return true;
}

/* Makes a spec with only this tile. */
static const Spec *spec_of(Arena *a, const KgenTile *tile, const AccessSet *set) {
  Spec *spec = ARENA_NEW(a, Spec);
  TileSpec *tile_spec = ARENA_NEW(a, TileSpec);
  const char *name = tile->name ? tile->name : "tile";
  *tile_spec = (TileSpec){.tile = *set->tile, .own = true};
  *spec = (Spec){.name = arena_strndup(a, name, strlen(name)),
                 .block = {WARP, 1, 1},
                 .arch = arch_find(tile->arch ? tile->arch : "sm_90"),
                 .banks = set->banks,
                 .tiles = 1,
                 .tile = tile_spec};
  return spec;
}

static Plan plan_of(Arena *a, const KgenTile *tile, const AccessSet *set, const Solution *s,
                    int64_t bytes) {
  const Spec *spec = spec_of(a, tile, set);
  PlanTile *plan_tile = ARENA_NEW(a, PlanTile);
  const KgenLayout plain = layout_plain(set->tile);
  *plan_tile = (PlanTile){.spec = spec->tile,
                          .set = set,
                          .solution = s,
                          .bytes = bytes,
                          .pad_bytes = bytes - layout_bytes(&plain, set->tile->dtype->bytes)};
  return (Plan){.spec = spec,
                .tiles = 1,
                .tile = plan_tile,
                .shared_bytes = tile_align(bytes),
                .bytes = bytes,
                .conflict_free = s->conflict_free,
                .minimal = s->minimal};
}

static int tma_of(const AccessSet *set, const KgenLayout *l) {
  const int mode = mode_bytes_of(set, l);
  return mode < 0 ? 0 : mode;
}

static Verdict *verdict_new(Kgen *k, const KgenTile *tile, const AccessSet *set, const Solution *s,
                            int64_t bytes) {
  Arena *a = k->arena;
  Verdict *v = ARENA_NEW(a, Verdict);
  v->plan = plan_of(a, tile, set, s, bytes);
  v->shown = (KgenResult){.placement = placement_of(&s->layout),
                          .kind = is_of_family(&s->layout) ? layout_kind(&s->layout) : "expr",
                          .expression = offset_spell_formula(a, &s->layout),
                          .cute = cute_spell(a, &s->layout),
                          .tma = tma_of(set, &s->layout),
                          .bytes = bytes,
                          .pad_bytes = v->plan.tile[0].pad_bytes,
                          .conflict_free = s->conflict_free,
                          .minimal = s->minimal,
                          .accesses = set->accesses,
                          .cost = costs_of(a, set, s),
                          .claim = s->certificate.claim};
  return v;
}

static Verdict *solve(Kgen *k, const KgenTile *tile, const AccessSet *set) {
  Diag *d = diag_new(k->arena);
  const Solution *s = solve_tile(k->arena, d, set);
  if (s) return verdict_new(k, tile, set, s, layout_bytes(&s->layout, set->tile->dtype->bytes));
  handle_take(k, KGEN_BAD_ARGUMENT, d);
  return NULL;
}

const KgenResult *kgen_solve(Kgen *k, const KgenTile *tile) {
  const AccessSet *set = tile_take(k, tile);
  const locale_t before = handle_enter(k);
  const Verdict *v = set ? solve(k, tile, set) : NULL;
  handle_leave(before);
  return v ? &v->shown : NULL;
}

/* --- a given placement --- */

/* The cost of the user-specified layout. The cost of the unpadded tile is copied from `best`, a
 * solution for the same accesses. */
static Solution *count(Arena *a, const AccessSet *set, const KgenLayout *l, const Solution *best) {
  Solution *s = ARENA_NEW(a, Solution);
  AccessCost *cost = ARENA_ARRAY(a, AccessCost, (size_t)set->accesses);
  *s = (Solution){.layout = *l, .set = set, .cost = cost, .unswizzled = best->unswizzled};
  s->total = cost_count(set, l, cost);
  s->conflict_free = true;
  for (int i = 0; i < set->accesses; i++) {
    s->wavefronts += cost[i].wavefronts;
    s->ideal += cost[i].ideal;
    if (cost[i].wavefronts > cost[i].ideal) s->conflict_free = false;
  }
  return s;
}

static Price price_of(const Verdict *v) {
  const Solution *s = v->plan.tile[0].solution;
  Price p = solution_price(v->plan.tile[0].set->tile, &s->layout, s->total);
  p.bytes = v->plan.bytes;
  return p;
}

static const char *claim_against(Arena *a, const Verdict *better) {
  return arena_printf(
      a, "Something does: %s takes %lld wavefronts in %lld bytes.", better->shown.expression,
      (long long)better->plan.tile[0].solution->wavefronts, (long long)better->shown.bytes);
}

static Verdict *compare(Kgen *k, const KgenTile *tile, const AccessSet *set, const KgenLayout *l,
                        int64_t bytes, const Verdict *best) {
  const Solution *solved = best->plan.tile[0].solution;
  Solution *s = count(k->arena, set, l, solved);
  s->minimal = solved->minimal;
  s->certificate = solved->certificate;
  Verdict *v = verdict_new(k, tile, set, s, bytes);
  const Price least = price_of(best), own = price_of(v);
  if (!solution_is_cheaper(&least, &own)) return v;
  s->minimal = v->plan.minimal = v->shown.minimal = false;
  v->shown.better = &best->shown;
  s->certificate = (Certificate){.claim = claim_against(k->arena, best)};
  v->shown.claim = s->certificate.claim;
  return v;
}

const KgenResult *kgen_judge(Kgen *k, const KgenTile *tile, const KgenPlacement *p) {
  KgenLayout l;
  int64_t bytes;
  const AccessSet *set = tile_take(k, tile);
  if (!set || !tile_take_placement(k, set->tile, p, &l, &bytes)) return NULL;
  if (!layout_serves(&l, set)) {
    handle_refuse(k, KGEN_BAD_ARGUMENT, "the placement splits or misaligns what a lane accesses");
    return NULL;
  }
  const locale_t before = handle_enter(k);
  const Verdict *best = solve(k, tile, set);
  const Verdict *v = best ? compare(k, tile, set, &l, bytes, best) : NULL;
  handle_leave(before);
  return v ? &v->shown : NULL;
}

const char *kgen_result_explain(Kgen *k, const KgenResult *r) {
  Text text = text_new(k->arena);
  const locale_t before = handle_enter(k);
  explain_plan(&text, k->arena, &((const Verdict *)r)->plan, -1, false);
  handle_leave(before);
  return text.s;
}

const char *kgen_result_json(Kgen *k, const KgenResult *r) {
  Text text = text_new(k->arena);
  Json j = json_new(&text);
  const locale_t before = handle_enter(k);
  plan_json(&j, &((const Verdict *)r)->plan, NULL, 0);
  json_end(&j);
  handle_leave(before);
  return text.s;
}

const char *kgen_result_svg(Kgen *k, const KgenResult *r) {
  return handle_draw(k, &((const Verdict *)r)->plan);
}

int64_t kgen_offset(const KgenTile *tile, const KgenPlacement *p, const int *coord) {
  Tile shape = {.rank = tile->rank};
  KgenLayout l;
  int at[KGEN_MAX_RANK] = {0};
  int64_t elements = 1;
  if (shape.rank < 1 || shape.rank > KGEN_MAX_RANK) return -1;
  for (int d = 0; d < shape.rank; d++) {
    elements *= tile->extent[d];
    if (elements < 1 || elements > INT32_MAX) return -1;
    if (coord[d] < 0 || coord[d] >= tile->extent[d]) return -1;
    shape.extent[d] = tile->extent[d];
    at[d] = coord[d];
  }
  return tile_layout(&shape, p, &l) ? layout_offset(&l, at) : -1;
}
