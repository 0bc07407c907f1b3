#include <string.h>

#include "spec/expr_parse.h"
#include "spec/spec_reader.h"

enum { MAX_THREADS = 1024, MAX_Z = 64 };
static const int64_t MAX_BYTES = INT64_C(1) << 40; /* counted no further */

/* --- block --- */

void name_block(SpecReader *r) {
  static const char *const names[] = {"bx", "by", "bz", "threads", "warps"};
  r->block_slot = r->global.names.count;
  for (int i = 0; i < 5; i++) scope_declare_ours(r, names[i]);
}

/* Defers an expression of our own over the block's names. */
static void defer_ours(SpecReader *r, const char *text, const char *what, Loc loc, int slot,
                       int64_t max) {
  const Expr *e = expr_parse(r->arena, r->diag, loc, text, &r->global.names);
  scope_defer(r, (Item){.expr = e, .what = what, .loc = loc, .slot = slot, .min = 1, .max = max});
}

static void defer_extent(SpecReader *r, const Yaml *node, const char *what, int slot, int64_t esize,
                         int64_t max) {
  const Expr *e = read_expr(r, node, what, &r->global.names);
  scope_defer(r, (Item){.expr = e,
                        .what = what,
                        .loc = node->loc,
                        .slot = slot,
                        .esize = esize,
                        .min = 1,
                        .max = max});
}

void defer_block(SpecReader *r) {
  static const char *const what[] = {"block's x", "block's y", "block's z"};
  static const int max[] = {MAX_THREADS, MAX_THREADS, MAX_Z};
  static const char *const standard[] = {"32", "1", "1"};
  const Yaml *node = pick(r, "block");
  const Loc loc = node ? node->loc : r->spec->loc;
  if (node ? !expect_kind(r, node, "block", YAML_LIST) : r->blind) return;
  const int given = node ? node->count : 0;
  if (node && (given < 1 || given > 3)) {
    diag_error(r->diag, node->loc, "block has %d dimensions, but must have 1 to 3", given);
    return;
  }
  for (int i = 0; i < given; i++)
    defer_extent(r, node->item[i], what[i], r->block_slot + i, r->global.value[r->esize_slot],
                 max[i]);
  for (int i = given; i < 3; i++)
    defer_ours(r, given ? "1" : standard[i], what[i], loc, r->block_slot + i, max[i]);
  const char *const *name = &r->global.names.name[r->block_slot];
  defer_ours(r, arena_printf(r->arena, "%s * %s * %s", name[0], name[1], name[2]),
             "block's number of threads", loc, r->block_slot + 3, MAX_THREADS);
  defer_ours(r, arena_printf(r->arena, "(%s + 31) / 32", name[3]), "block's number of warps", loc,
             r->block_slot + 4, MAX_THREADS / WARP);
}

void finish_block(SpecReader *r) {
  for (int i = 0; i < 3; i++) r->out->block[i] = (int)r->global.value[r->block_slot + i];
}

/* --- tiles: their names, types and ranks --- */

static const char *extent_name(SpecReader *r, const char *tile, int dim) {
  return tile ? arena_printf(r->arena, "%s_d%d", tile, dim) : arena_printf(r->arena, "d%d", dim);
}

static void missing(SpecReader *r, Loc loc, const char *key, const char *tile) {
  if (r->blind) return;
  if (tile)
    diag_error(r->diag, loc, "tile '%s' has no '%s'", tile, key);
  else
    diag_error(r->diag, loc, "'%s' is missing", key);
}

/* How many dimensions the tile has, 0 if that cannot be told. */
static int read_rank(SpecReader *r, const TileNodes *t) {
  const Yaml *e = t->extents;
  if (!e) missing(r, t->loc, "tile", t->name);
  if (!e || !expect_kind(r, e, "tile", YAML_LIST)) return 0;
  if (e->count >= 1 && e->count <= KGEN_MAX_RANK) return e->count;
  diag_error(r->diag, e->loc, "tile has rank %d, but must have 1 to %d", e->count, KGEN_MAX_RANK);
  return 0;
}

/* A kernel is written for a number of dimensions: a spec cannot change that. */
static void check_rank(SpecReader *r, TileNodes *t, const Yaml *declared) {
  if (!t->rank || !declared || declared->kind != YAML_LIST || declared->count == t->rank) return;
  diag_error(r->diag, t->extents->loc, "tile has rank %d, but this kernel needs %d", t->rank,
             declared->count);
  t->rank = 0;
}

/* Where the family's list of dtypes has the tile's: `dtype`, or NAME_dtype. */
static void name_dtype(SpecReader *r, const TileNodes *t) {
  const Yaml *list = yaml_get(r->family, "dtypes");
  if (!list || list->kind != YAML_LIST || !t->dtype) return;
  const char *name = t->name ? arena_printf(r->arena, "%s_dtype", t->name) : "dtype";
  const int slot = scope_declare(&r->global, name);
  for (int i = 0; i < list->count; i++) {
    const Yaml *node = list->item[i];
    if (node->kind != YAML_TEXT || strcmp(node->text, t->dtype->name) != 0) continue;
    r->global.value[slot] = i;
    r->global.known[slot] = true;
  }
}

static void name_tile(SpecReader *r, TileNodes *t, const Yaml *dtype, const Yaml *declared) {
  if (dtype)
    t->dtype = read_dtype(r, dtype);
  else
    missing(r, t->loc, "dtype", t->name);
  t->rank = read_rank(r, t);
  check_rank(r, t, declared);
  /* Of a tile that is wrong all names exist, without values: what uses them is not to blame. */
  for (int i = 0; i < (t->rank ? t->rank : KGEN_MAX_RANK); i++)
    t->slot[i] = scope_declare(&r->global, extent_name(r, t->name, i));
  name_dtype(r, t);
  if (!t->name) return;
  const int slot = scope_declare(&r->global, arena_printf(r->arena, "%s_esize", t->name));
  r->global.known[slot] = t->dtype != NULL;
  r->global.value[slot] = t->dtype ? t->dtype->bytes : 0;
}

/* The one-tile form: its keys stand at the root. */
static void name_single(SpecReader *r) {
  TileNodes *t = &r->tile[0];
  r->tiles = 1;
  *t = (TileNodes){.extents = pick(r, "tile"),
                   .want = pick(r, "layout"),
                   .access = pick(r, "access"),
                   .dims = yaml_get(r->spec, "dims"),
                   .loc = r->spec->loc};
  name_tile(r, t, pick(r, "dtype"), yaml_get(r->family, "tile"));
  if (!t->access) missing(r, t->loc, "access", NULL);
}

/* --- the form with `tiles` --- */

static const Yaml *first_of(const Yaml *const *nodes, int count) {
  for (int i = 0; i < count; i++)
    if (nodes[i]) return nodes[i];
  return NULL;
}

static const char *const tile_keys[] = {"dtype", "tile", "layout", "access", "dims"};
enum { TILE_KEYS = sizeof tile_keys / sizeof *tile_keys };

static const Yaml *tile_map(SpecReader *r, const Yaml *node) {
  if (!node || !expect_kind(r, node, "a tile", YAML_MAP)) return NULL;
  return check_keys(r, node, tile_keys, TILE_KEYS);
}

/* One tile: the spec's keys before the family's. A `layout` at the spec's root is for all tiles; a
 * `dtype` there is for those that have none of their own. */
static void name_member(SpecReader *r, const Yaml *key, const Yaml *own, const Yaml *declared) {
  TileNodes *t = &r->tile[r->tiles++];
  own = tile_map(r, own);
  declared = tile_map(r, declared);
  const Yaml *want[] = {yaml_get(own, "layout"), yaml_get(r->spec, "layout"),
                        yaml_get(declared, "layout"), yaml_get(r->family, "layout")};
  const Yaml *dtype[] = {yaml_get(own, "dtype"), yaml_get(declared, "dtype"), pick(r, "dtype")};
  const Yaml *extents[] = {yaml_get(own, "tile"), yaml_get(declared, "tile")};
  const Yaml *access[] = {yaml_get(own, "access"), yaml_get(declared, "access")};
  *t = (TileNodes){.name = read_name(r, key, "tile"),
                   .extents = first_of(extents, 2),
                   .want = first_of(want, 4),
                   .access = first_of(access, 2),
                   .dims = yaml_get(own, "dims"),
                   .loc = key->loc};
  name_tile(r, t, first_of(dtype, 3), extents[1]);
  if (!t->access) missing(r, t->loc, "access", t->name);
}

/* Keys of the one-tile form have no meaning beside `tiles`. */
static void check_roots(SpecReader *r, const Yaml *own) {
  static const char *const single[] = {"tile", "access", "dims", "dtype", "layout"};
  for (int i = 0; i < (r->family ? 3 : 5); i++) {
    const Yaml *key = yaml_key(r->spec, single[i]);
    if (!key) continue;
    diag_error(r->diag, key->loc, "'%s' belongs into each of the tiles", key->text);
    if (!own) diag_hint(r->diag, "tiles: {NAME: {%s: ...}}", key->text);
  }
}

static const Yaml *check_members(SpecReader *r, const Yaml *own, const Yaml *declared) {
  const char **names = ARENA_ARRAY(r->arena, const char *, (size_t)declared->count);
  for (int i = 0; i < declared->count; i++) names[i] = declared->pair[i].key->text;
  return own ? check_keys(r, own, names, declared->count) : NULL;
}

static void name_many(SpecReader *r, const Yaml *own, const Yaml *declared) {
  const Yaml *all = declared ? declared : own;
  r->out->many = true;
  check_roots(r, own);
  if (declared) own = check_members(r, own, declared);
  if (all->count > MAX_TILES || all->count == 0)
    diag_error(r->diag, all->loc, "%d tiles, but there must be 1 to %d", all->count, MAX_TILES);
  for (int i = 0; i < all->count && i < MAX_TILES; i++) {
    const Yaml *key = all->pair[i].key;
    name_member(r, key, yaml_get(own, key->text), yaml_get(declared, key->text));
  }
}

void name_tiles(SpecReader *r) {
  const Yaml *own = yaml_get(r->spec, "tiles"), *declared = yaml_get(r->family, "tiles");
  if (own && !expect_kind(r, own, "tiles", YAML_MAP)) own = NULL;
  if (own && r->family && !declared) {
    diag_error(r->diag, own->loc, "this kernel has one tile, set by 'tile' and 'layout'");
    own = NULL;
  }
  if (declared && expect_kind(r, declared, "tiles", YAML_MAP))
    name_many(r, own, declared);
  else if (own)
    name_many(r, own, NULL);
  else if (!yaml_get(r->spec, "tiles") || r->family)
    name_single(r);
  const Dtype *first = r->tiles ? r->tile[0].dtype : NULL;
  if (!first) return;
  r->global.value[r->esize_slot] = first->bytes;
  r->global.known[r->esize_slot] = true;
}

void defer_tiles(SpecReader *r) {
  for (int t = 0; t < r->tiles; t++)
    for (int i = 0; i < r->tile[t].rank; i++) {
      const char *what = arena_printf(r->arena, "extent %d of the tile", i);
      const Dtype *dtype = r->tile[t].dtype;
      defer_extent(r, r->tile[t].extents->item[i], what, r->tile[t].slot[i],
                   dtype ? dtype->bytes : 0, MAX_EXTENT);
    }
}

/* --- tiles: their sizes --- */

int64_t tile_bytes(const SpecReader *r, const TileNodes *t) {
  int64_t bytes = t->dtype && t->rank ? t->dtype->bytes : 0;
  for (int i = 0; i < t->rank; i++) {
    if (!r->global.known[t->slot[i]]) return 0;
    bytes *= r->global.value[t->slot[i]]; /* at most 2^40 * 2^20 */
    if (bytes > MAX_BYTES) bytes = MAX_BYTES;
  }
  return bytes;
}

/* Tiles lie one after another, each at a multiple of 128 bytes. `others`: all but this one. */
static int64_t shared_bytes(const SpecReader *r, const TileNodes *others) {
  int64_t total = 0;
  for (int t = 0; t < r->tiles; t++)
    if (&r->tile[t] != others) total = tile_align(total) + tile_bytes(r, &r->tile[t]);
  return total;
}

static void check_memory(SpecReader *r) {
  const Arch *arch = r->out->arch;
  const int64_t bytes = shared_bytes(r, NULL);
  if (bytes <= arch->shared_per_block) return;
  const bool one = r->tiles == 1;
  const Loc loc = one && r->tile[0].extents ? r->tile[0].extents->loc : r->tile[0].loc;
  diag_error(r->diag, loc, "%s %s%lld bytes of shared memory, but a block on %s has %d",
             one ? "the tile takes" : "the tiles take", bytes >= MAX_BYTES ? "at least " : "",
             (long long)bytes, arch->name, arch->shared_per_block);
}

static void finish_tile(SpecReader *r, const TileNodes *nodes, TileSpec *tile) {
  const int64_t rest = r->out->arch->shared_per_block - tile_align(shared_bytes(r, nodes));
  *tile = (TileSpec){.tile = {.name = nodes->name,
                              .dtype = nodes->dtype,
                              .rank = nodes->rank,
                              .want = {.kind = WANT_AUTO,
                                       .align = 1,
                                       .max_bytes = rest > 0 ? (int)rest : 0,
                                       .loc = nodes->loc}},
                     .loc = nodes->loc};
  for (int i = 0; i < nodes->rank; i++) tile->tile.extent[i] = (int)r->global.value[nodes->slot[i]];
  read_dims(r, nodes->dims, nodes->rank, tile->tile.dim);
}

void finish_tiles(SpecReader *r) {
  TileSpec *tile = ARENA_ARRAY(r->arena, TileSpec, MAX_TILES);
  for (int t = 0; t < r->tiles; t++) finish_tile(r, &r->tile[t], &tile[t]);
  r->out->tiles = r->tiles;
  r->out->tile = tile;
  if (r->tiles) check_memory(r);
}

const Scope *tile_scope(SpecReader *r, const TileNodes *nodes) {
  if (!nodes->name) return &r->global;
  Scope *s = ARENA_NEW(r->arena, Scope);
  *s = r->global;
  s->known[r->esize_slot] = nodes->dtype != NULL;
  s->value[r->esize_slot] = nodes->dtype ? nodes->dtype->bytes : 0;
  for (int i = 0; i < nodes->rank; i++) {
    const int slot = scope_declare(s, extent_name(r, NULL, i));
    s->value[slot] = r->global.value[nodes->slot[i]];
    s->known[slot] = r->global.known[nodes->slot[i]];
  }
  return s;
}
