/* SPDX-License-Identifier: MIT */
#include "emit/page_tile.h"

#include <string.h>

#include "emit/cute.h"
#include "emit/forms.h"
#include "emit/language.h"
#include "emit/offset.h"
#include "emit/plan_json.h"
#include "model/cost.h"
#include "model/modes.h"

/* Most instructions of an access are translations of each other, so each is stored as a pattern of
 * lanes plus its start. A pattern has the lanes relative to the first active one, in elements of
 * the unpadded tile. For a copy the pattern includes the source addresses, relative to the start of
 * the lowest one's line, because only banks and lines matter. */
typedef struct {
  uint32_t active;
  int32_t delta[WARP];
  int64_t source[WARP];
} Pattern;

typedef struct {
  const AccessSet *set;
  const Access *access;
  KgenLayout plain;
  int patterns;
  Pattern *pattern;
  const WarpAccess **example; /* one of its instructions per pattern */
  size_t slots;               /* a power of two */
  int32_t *slot;
} Patterns;

static int base_of(const KgenLayout *plain, const WarpAccess *w) {
  return layout_lane(plain, w, __builtin_ctz(w->active));
}

static void set_source(const Patterns *of, const WarpAccess *w, Pattern *p) {
  const int64_t *source = of->access->source[w - of->access->warp];
  const int line = of->set->banks.count * of->set->banks.bytes;
  int64_t least = INT64_MAX;
  for (uint32_t m = w->active; m; m &= m - 1)
    if (source[__builtin_ctz(m)] < least) least = source[__builtin_ctz(m)];
  for (uint32_t m = w->active; m; m &= m - 1)
    p->source[__builtin_ctz(m)] = source[__builtin_ctz(m)] - least / line * line;
}

static Pattern pattern_of(const Patterns *of, const WarpAccess *w) {
  Pattern p = {.active = w->active};
  const int base = base_of(&of->plain, w);
  for (uint32_t m = w->active; m; m &= m - 1)
    p.delta[__builtin_ctz(m)] = layout_lane(&of->plain, w, __builtin_ctz(m)) - base;
  if (of->access->op == OP_CP_ASYNC) set_source(of, w, &p);
  return p;
}

static size_t hash_of(const Pattern *p) {
  uint64_t h = p->active;
  for (int i = 0; i < WARP; i++) {
    h = (h ^ (uint32_t)p->delta[i] ^ (uint64_t)p->source[i] << 32) * UINT64_C(0x9e3779b97f4a7c15);
    h ^= h >> 29;
  }
  return (size_t)h;
}

static Patterns patterns_new(Arena *a, const AccessSet *set, const Access *access) {
  Patterns p = {.set = set, .access = access, .plain = layout_plain(set->tile), .slots = 16};
  while (p.slots < 2 * (size_t)access->warps) p.slots *= 2;
  p.slot = ARENA_ARRAY(a, int32_t, p.slots);
  p.pattern = ARENA_ARRAY(a, Pattern, (size_t)access->warps);
  p.example = ARENA_ARRAY(a, const WarpAccess *, (size_t)access->warps);
  return p;
}

/* Returns the index of an instruction's pattern, adding a new one if necessary. */
static int find_or_add(Patterns *p, const WarpAccess *w) {
  const Pattern new = pattern_of(p, w);
  size_t at = hash_of(&new) & (p->slots - 1);
  for (; p->slot[at]; at = (at + 1) & (p->slots - 1))
    if (memcmp(&p->pattern[p->slot[at] - 1], &new, sizeof new) == 0) return p->slot[at] - 1;
  p->example[p->patterns] = w;
  p->pattern[p->patterns++] = new;
  p->slot[at] = p->patterns;
  return p->patterns - 1;
}

static void put_lanes(Json *j, const char *key, const Pattern *p,
                      int64_t (*of)(const Pattern *, int)) {
  json_row(j, key);
  for (int i = 0; i < WARP; i++)
    if (p->active >> i & 1)
      json_int(j, NULL, of(p, i));
    else
      json_null(j, NULL);
  json_end(j);
}

static int64_t delta_of(const Pattern *p, int lane) { return p->delta[lane]; }
static int64_t source_of(const Pattern *p, int lane) { return p->source[lane]; }

/* Writes a pattern's lanes and its lane groups; bit i of a mask is lane i. */
static void put_pattern(Json *j, const Patterns *p, int i) {
  const WarpAccess *w = p->example[i];
  int64_t address[WARP];
  uint32_t mask[4];
  layout_addresses(&p->plain, p->set->tile->dtype->bytes, w, address);
  const int groups = cost_groups(p->access, w, address, mask);
  json_line(j, NULL);
  put_lanes(j, "lanes", &p->pattern[i], delta_of);
  if (p->access->op == OP_CP_ASYNC) put_lanes(j, "source", &p->pattern[i], source_of);
  json_row(j, "groups");
  for (int g = 0; g < groups; g++) json_int(j, NULL, mask[g]);
  json_ends(j, 2);
}

/* times: execution counts of its instructions; NULL: once each. */
static void put_access(Json *j, Arena *a, const AccessSet *set, const Access *access,
                       const uint64_t *times) {
  Patterns p = patterns_new(a, set, access);
  json_object(j, NULL);
  json_string(j, "name", access->name);
  json_string(j, "op", op_name[access->op]);
  if (access->op == OP_CP_ASYNC) json_string(j, "cache", copy_cache_name[access->cache]);
  json_int(j, "elements", access->elements);
  json_int(j, "bytes_per_lane", access->bytes_per_lane);
  json_int(j, "weight_thousandths", access->weight);
  json_row(j, "instructions"); /* [pattern, start element, times] */
  for (int w = 0; w < access->warps; w++) {
    json_row(j, NULL);
    json_int(j, NULL, find_or_add(&p, &access->warp[w]));
    json_int(j, NULL, base_of(&p.plain, &access->warp[w]));
    if (times) json_int(j, NULL, (int64_t)times[w]);
    json_end(j);
  }
  json_end(j);
  json_array(j, "patterns");
  for (int i = 0; i < p.patterns; i++) put_pattern(j, &p, i);
  json_ends(j, 2);
}

static void put_layout(Json *j, const char *key, const KgenLayout *l, int element_bytes) {
  json_line(j, key);
  json_string(j, "kind", layout_kind(l));
  layout_json(j, l);
  json_int(j, "bytes", layout_bytes(l, element_bytes));
  json_end(j);
}

/* The names of a tile's coordinates; tiles without a spec have i, or row and col. */
static const char *const *dims_of(const Tile *t) {
  static const char *const one[] = {"i"}, *const two[] = {"row", "col"};
  return t->dim[0] ? t->dim : t->rank == 1 ? one : two;
}

static void put_shape(Json *j, const Tile *t, BankGeometry banks) {
  json_string(j, "dtype", t->dtype->name);
  json_int(j, "element_bytes", t->dtype->bytes);
  json_row(j, "extent");
  for (int d = 0; d < t->rank; d++) json_int(j, NULL, t->extent[d]);
  json_end(j);
  json_row(j, "dims");
  for (int d = 0; d < t->rank; d++) json_string(j, NULL, dims_of(t)[d]);
  json_end(j);
  json_line(j, "banks");
  json_int(j, "count", banks.count);
  json_int(j, "bytes", banks.bytes);
  json_end(j);
}

/* Lists a layout that is not strides and XORs element by element. */
static void put_map(Json *j, const PlanTile *t) {
  const GivenMap *map = t->solution->map;
  const KgenLayout plain = layout_plain(t->set->tile);
  const int count = tile_elements(t->set->tile);
  json_line(j, "chosen");
  json_string(j, "kind", forms_kind(t));
  layout_json(j, &plain);
  json_string(j, "expr", map->text);
  json_int(j, "bytes", t->bytes);
  json_row(j, "offsets");
  for (int i = 0; i < count; i++) json_int(j, NULL, map->at[i]);
  json_ends(j, 2);
}

/* -1: no mode of TMA. */
static const char *spell_mode(Arena *a, int mode) {
  return mode < 0 ? NULL : forms_tma_name(a, mode);
}

/* Writes a layout as C, CuTe and TMA; null if there is no such form. */
static void put_forms(Json *j, Arena *a, const Tile *t, const char *offset, const char *cute,
                      int mode) {
  json_string(j, "offset", offset);
  json_string(j, "c",
              arena_printf(a, "int offset(%s) { return %s; }",
                           offset_spell_parameters(a, t->rank, dims_of(t)), offset));
  json_string(j, "cute", cute);
  json_string(j, "tma", spell_mode(a, mode));
}

static void put_chosen(Json *j, Arena *a, const PageTile *t) {
  const Tile *tile = t->set->tile;
  const PlanTile *plan = t->plan;
  const KgenLayout *l = plan ? &plan->solution->layout : t->chosen;
  if (plan && plan->solution->map)
    put_map(j, plan);
  else
    put_layout(j, "chosen", l, tile->dtype->bytes);
  if (plan) {
    put_forms(j, a, tile, offset_spell_tile(a, plan), forms_cute_text(a, plan), forms_tma(plan));
    CuteSwizzle w;
    language_json(j, plan, forms_cute(plan, &w) ? &w : NULL);
    return;
  }
  put_forms(j, a, tile, offset_spell(a, l, dims_of(tile)), cute_spell(a, l),
            mode_bytes_of(t->set, l));
}

void page_tile(Json *j, Arena *a, const PageTile *t) {
  const Tile *tile = t->set->tile;
  const KgenLayout plain = layout_plain(tile);
  put_shape(j, tile, t->set->banks);
  put_layout(j, "plain", &plain, tile->dtype->bytes);
  put_chosen(j, a, t);
  json_array(j, "lanes");
  for (int i = 0; i < t->set->accesses; i++)
    put_access(j, a, t->set, &t->set->access[i], t->times ? t->times[i] : NULL);
  json_end(j);
}
