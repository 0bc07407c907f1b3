/* SPDX-License-Identifier: MIT */
#include "spec/spec_tile.h"

#include <string.h>

#include "spec/names.h"
#include "spec/spec_given.h"
#include "spec/spec_keys.h"
#include "spec/spec_layout.h"
#include "spec/spec_override.h"

static const int64_t MAX_BYTES = INT64_C(1) << 40; /* larger sizes are not distinguished */

/* --- keys --- */

// clang-format off
static const Key tile_keys[] = {
    {.name = "dtype", .kind = VALUE_TEXT, .forms = FORM_COMMON, .required = true,
     .elsewhere = "'dtype' belongs in each of the tiles",
     .instead = "tiles: {NAME: {dtype: ...}}"},
    {.name = "tile", .kind = VALUE_LIST, .forms = FORM_TILE, .required = true,
     .elsewhere = "'tile' belongs in each of the tiles",
     .instead = "tiles: {NAME: {tile: ...}}"},
    {.name = "layout", .kind = VALUE_ANY, .forms = FORM_COMMON,
     .elsewhere = "'layout' belongs in each of the tiles",
     .instead = "tiles: {NAME: {layout: ...}}"},
    {.name = "access", .kind = VALUE_LIST, .forms = FORM_TILE, .required = true,
     .elsewhere = "'access' belongs in each of the tiles",
     .instead = "tiles: {NAME: {access: ...}}"},
    {.name = "dims", .kind = VALUE_LIST, .forms = FORM_TILE,
     .elsewhere = "'dims' belongs in each of the tiles",
     .instead = "tiles: {NAME: {dims: ...}}"},
};
// clang-format on
const KeyTable tile_table = {tile_keys, sizeof tile_keys / sizeof *tile_keys, NULL, 0};

/* --- names, types and ranks --- */

static const char *extent_name(const Reader *in, const char *tile, int dim) {
  return tile ? arena_printf(in->arena, "%s_d%d", tile, dim) : arena_printf(in->arena, "d%d", dim);
}

/* The rank of the tile, 0 if unknown. A kernel is written for one rank, which a spec cannot
 * change. */
static int read_rank(const Reader *in, const Yaml *extents, const Yaml *declared) {
  if (!extents || !expect_kind(in, extents, "tile", YAML_LIST)) return 0;
  const int rank = extents->count;
  const bool any = !declared || declared->kind != YAML_LIST || declared->count == rank;
  if (rank < 1 || rank > KGEN_MAX_RANK)
    diag_error(in->diag, extents->loc, "tile has rank %d, but must have 1 to %d", rank,
               KGEN_MAX_RANK);
  else if (!any)
    diag_error(in->diag, extents->loc, "tile has rank %d, but this kernel needs %d", rank,
               declared->count);
  else
    return rank;
  return 0;
}

/* A tile with errors still has all its names, without values, so that their users are not
 * reported. */
static void declare_extents(SpecReader *r, TileNodes *t) {
  for (int i = 0; i < (t->rank ? t->rank : KGEN_MAX_RANK); i++) {
    t->slot[i] = scope_declare(&r->scope, extent_name(&r->in, t->name, i));
    if (i >= t->rank) continue;
    const Yaml *node = t->extents->item[i];
    const bool own = node->loc.source == r->out->source;
    const Yaml *set = override_value(r, r->scope.names.name[t->slot[i]], own, node->loc);
    if (set) node = set;
    scope_define(&r->scope, t->slot[i],
                 (Definition){.what = arena_printf(r->in.arena, "extent %d of the tile", i),
                              .loc = node->loc,
                              .node = node,
                              .esize = t->dtype ? t->dtype->bytes : 0,
                              .min = 1,
                              .max = MAX_EXTENT});
  }
}

/* True if the spec, or a setting, sets an extent of the tile. */
static bool extents_are_given(const SpecReader *r, const TileNodes *t) {
  for (int i = 0; i < t->rank; i++) {
    const Yaml *node = r->scope.definition[t->slot[i]].node;
    if (node != t->extents->item[i] || node->loc.source == r->out->source) return true;
  }
  return false;
}

/* Templates see this as `tile_given`, or NAME_tile_given: an older spec's tile may need another
 * form of the kernel than the current default. */
static void declare_given(SpecReader *r, const TileNodes *t) {
  if (!r->family) return;
  const char *name = t->name ? arena_printf(r->in.arena, "%s_tile_given", t->name) : "tile_given";
  scope_set(&r->scope, scope_declare(&r->scope, name), extents_are_given(r, t));
}

/* The index of the tile's dtype in the template's list, as `dtype` or NAME_dtype. It has no value
 * if the spec's dtype is wrong, so that its users are not checked. */
static void declare_dtype(SpecReader *r, const TileNodes *t) {
  const Yaml *list = yaml_get(r->family, "dtypes");
  if (!list || list->kind != YAML_LIST) return;
  const char *name = t->name ? arena_printf(r->in.arena, "%s_dtype", t->name) : "dtype";
  const int slot = scope_declare(&r->scope, name);
  for (int i = 0; t->dtype && i < list->count; i++)
    if (list->item[i]->kind == YAML_TEXT && strcmp(list->item[i]->text, t->dtype->name) == 0)
      scope_set(&r->scope, slot, i);
}

/* declared: the template's extents, or NULL. */
static void declare_tile(SpecReader *r, TileNodes *t, unsigned form, const Yaml *declared) {
  const char *owner = t->name ? arena_printf(r->in.arena, "tile '%s'", t->name) : NULL;
  if (!r->blind) keys_given(&r->in, t->map, &tile_table, form, t->loc, owner);
  const Yaml *dtype = yaml_get(t->map, "dtype");
  t->extents = yaml_get(t->map, "tile");
  if (dtype) t->dtype = read_dtype(&r->in, dtype);
  t->rank = read_rank(&r->in, t->extents, declared);
  declare_extents(r, t);
  declare_given(r, t);
  declare_dtype(r, t);
  if (!t->name) return;
  const int slot = scope_declare(&r->scope, arena_printf(r->in.arena, "%s_esize", t->name));
  if (t->dtype) scope_set(&r->scope, slot, t->dtype->bytes);
}

/* The one-tile form: its keys are at the root. */
static void declare_single(SpecReader *r) {
  r->tiles = 1;
  r->tile[0] = (TileNodes){.map = r->root, .loc = r->spec->loc};
  declare_tile(r, &r->tile[0], FORM_SINGLE, yaml_get(r->family, "tile"));
}

/* --- the form with `tiles` --- */

static const Yaml *member_map(const Reader *in, const Yaml *node) {
  if (!node || !expect_kind(in, node, "a tile", YAML_MAP)) return NULL;
  return keys_known(in, node, &tile_table);
}

/* One tile: the spec's keys before the template's. A `layout` at the spec's root applies to all
 * tiles; a `dtype` there to tiles that have none of their own. */
static void declare_member(SpecReader *r, const Yaml *key, const Yaml *own, const Yaml *declared) {
  const Reader *in = &r->in;
  own = member_map(in, own);
  declared = member_map(in, declared);
  const Yaml *maps[] = {own, map_only(in, r->spec, "layout"), declared,
                        map_only(in, r->family, "layout"), map_only(in, r->root, "dtype")};
  TileNodes *t = &r->tile[r->tiles++];
  *t = (TileNodes){
      .name = read_name(in, key, "tile"), .map = map_merge(in, maps, 5), .loc = key->loc};
  declare_tile(r, t, FORM_MEMBER, yaml_get(declared, "tile"));
}

/* The spec's tiles, all of which must be in the template. */
static const Yaml *known_members(const Reader *in, const Yaml *own, const Yaml *declared) {
  const char **names = ARENA_ARRAY(in->arena, const char *, (size_t)declared->count);
  for (int i = 0; i < declared->count; i++) names[i] = declared->pair[i].key->text;
  return map_known(in, own, names, declared->count, "key");
}

static void declare_many(SpecReader *r, const Yaml *own, const Yaml *declared) {
  const Yaml *all = declared ? declared : own;
  r->out->many = true;
  keys_fit(&r->in, r->spec, &tile_table, FORM_COMMON | FORM_TILE,
           declared ? FORM_FAMILY_MANY : FORM_MANY, NULL);
  if (own && declared) own = known_members(&r->in, own, declared);
  if (all->count > MAX_TILES || all->count == 0)
    diag_error(r->in.diag, all->loc, "%d tiles, but there must be 1 to %d", all->count, MAX_TILES);
  for (int i = 0; i < all->count && i < MAX_TILES; i++) {
    const Yaml *key = all->pair[i].key;
    declare_member(r, key, yaml_get(own, key->text), yaml_get(declared, key->text));
  }
}

void declare_tiles(SpecReader *r) {
  const Yaml *own = yaml_get(r->spec, "tiles"), *declared = yaml_get(r->family, "tiles");
  const bool wrong = own && !expect_kind(&r->in, own, "tiles", YAML_MAP);
  if (wrong) own = NULL;
  if (own && r->family && !declared) {
    diag_error(r->in.diag, own->loc, "this kernel has one tile, set by 'tile' and 'layout'");
    own = NULL;
  }
  if (declared && !expect_kind(&r->in, declared, "tiles", YAML_MAP)) declared = NULL;
  if (declared || own)
    declare_many(r, own, declared);
  else if (!wrong || r->family)
    declare_single(r);
  const Dtype *first = r->tiles ? r->tile[0].dtype : NULL;
  if (first) scope_set(&r->scope, r->scope.esize_slot, first->bytes);
}

/* --- sizes --- */

int64_t spec_tile_bytes(SpecReader *r, const TileNodes *t) {
  int64_t bytes = t->dtype && t->rank ? t->dtype->bytes : 0;
  for (int i = 0; i < t->rank; i++) {
    if (!scope_knows(&r->scope, t->slot[i])) return 0;
    bytes *= r->scope.value[t->slot[i]]; /* at most 2^40 * 2^20 */
    if (bytes > MAX_BYTES) bytes = MAX_BYTES;
  }
  return bytes;
}

int64_t spec_tile_elements(SpecReader *r, const TileNodes *t) {
  int64_t n = t->rank > 0;
  for (int i = 0; i < t->rank && n < INT32_MAX; i++)
    n *= scope_knows(&r->scope, t->slot[i]) ? r->scope.value[t->slot[i]] : 0;
  return n < INT32_MAX ? n : INT32_MAX;
}

/* Tiles are stored one after another, each at a multiple of 128 bytes. `others`: all but this
 * one. */
static int64_t shared_bytes(SpecReader *r, const TileNodes *others) {
  int64_t total = 0;
  for (int t = 0; t < r->tiles; t++)
    if (&r->tile[t] != others) total = tile_align(total) + spec_tile_bytes(r, &r->tile[t]);
  return total;
}

static void check_memory(SpecReader *r) {
  const Arch *arch = r->out->arch;
  const int64_t bytes = shared_bytes(r, NULL);
  if (bytes <= arch->shared_per_block) return;
  const bool one = r->tiles == 1;
  const Loc loc = one && r->tile[0].extents ? r->tile[0].extents->loc : r->tile[0].loc;
  diag_error(r->in.diag, loc, "%s %s%lld bytes of shared memory, but a block on %s has %d",
             one ? "the tile takes" : "the tiles take", bytes >= MAX_BYTES ? "at least " : "",
             (long long)bytes, arch->name, arch->shared_per_block);
}

/* --- names of a tile's coordinates --- */

/* It names a parameter, which hides every other meaning of the name except macros. */
static bool looks_like_macro(const char *s) {
  return s[1] && strpbrk(s, "abcdefghijklmnopqrstuvwxyz") == NULL;
}

static void read_dim(const Reader *in, const Yaml *list, int d, const char *out[KGEN_MAX_RANK]) {
  const char *name = read_name(in, list->item[d], "dimension");
  if (name && looks_like_macro(name)) {
    diag_error(in->diag, list->item[d]->loc, "dimension '%s' looks like a macro", name);
    diag_hint(in->diag, "one letter, or some in lower case");
    return;
  }
  if (name && is_macro(name)) {
    diag_error(in->diag, list->item[d]->loc, "dimension '%s' is a macro of compilers or of C",
               name);
    return;
  }
  for (int i = 0; name && i < d; i++)
    if (strcmp(out[i], name) == 0) {
      diag_error(in->diag, list->item[d]->loc, "two dimensions are called '%s'", name);
      return;
    }
  if (name) out[d] = name;
}

static void read_dims(const Reader *in, const Yaml *node, int rank,
                      const char *out[KGEN_MAX_RANK]) {
  for (int d = 0; d < KGEN_MAX_RANK; d++) out[d] = tile_default_dim(rank, d);
  if (!node || !rank || !expect_kind(in, node, "dims", YAML_LIST)) return;
  if (node->count != rank) {
    diag_error(in->diag, node->loc, "dims must have %d names, not %d", rank, node->count);
    return;
  }
  for (int d = 0; d < rank; d++) read_dim(in, node, d, out);
}

/* --- all tiles --- */

static Tile read_tile(SpecReader *r, const TileNodes *t) {
  const int64_t rest = r->out->arch->shared_per_block - tile_align(shared_bytes(r, t));
  Tile out = {
      .name = t->name,
      .dtype = t->dtype,
      .rank = t->rank,
      .want = {
          .kind = WANT_AUTO, .align = 1, .max_bytes = rest > 0 ? (int)rest : 0, .loc = t->loc}};
  for (int i = 0; i < t->rank; i++)
    if (scope_knows(&r->scope, t->slot[i])) out.extent[i] = (int)r->scope.value[t->slot[i]];
  read_dims(&r->in, yaml_get(t->map, "dims"), t->rank, out.dim);
  read_layout(&r->in, yaml_get(t->map, "layout"), spec_tile_bytes(r, t), &out.want);
  const Yaml *layout = yaml_get(t->map, "layout");
  if (layout && layout->kind == YAML_MAP)
    out.want.given = read_given(&r->in, tile_scope(r, t), layout, &out);
  override_layout(r->in.arena, r->options, t->name, &out.want);
  return out;
}

void read_tiles(SpecReader *r) {
  TileSpec *tile = ARENA_ARRAY(r->in.arena, TileSpec, MAX_TILES);
  for (int t = 0; t < r->tiles; t++) {
    const Yaml *access = yaml_get(r->tile[t].map, "access");
    tile[t] = (TileSpec){.tile = read_tile(r, &r->tile[t]),
                         .loc = r->tile[t].loc,
                         .own = access && access->loc.source == r->out->source};
  }
  r->out->tiles = r->tiles;
  r->out->tile = tile;
  if (r->tiles) check_memory(r);
}

Scope *tile_scope(SpecReader *r, const TileNodes *t) {
  if (!t->name) return &r->scope;
  Scope *s = ARENA_NEW(r->in.arena, Scope);
  scope_finish(&r->scope);
  *s = r->scope;
  s->state[s->esize_slot] = STATE_UNKNOWN;
  if (t->dtype) scope_set(s, s->esize_slot, t->dtype->bytes);
  for (int i = 0; i < t->rank; i++) {
    const int slot = scope_declare(s, extent_name(&r->in, NULL, i));
    if (scope_knows(&r->scope, t->slot[i])) scope_set(s, slot, r->scope.value[t->slot[i]]);
  }
  return s;
}
