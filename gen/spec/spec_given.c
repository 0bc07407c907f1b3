/* SPDX-License-Identifier: MIT */
#include "spec/spec_given.h"

#include <stdlib.h>

#include "model/modes.h"
#include "spec/expr_eval.h"
#include "spec/expr_spell.h"
#include "spec/spec.h"

/* The keys of `layout` that specify a layout. */
enum { GIVEN_KEYS = 4 };
static const char *const given_key[GIVEN_KEYS] = {"swizzle", "cute", "pad", "expr"};

/* --- expr --- */

typedef struct {
  const Reader *in;
  const Tile *tile;
  const Yaml *node;
  Names names; /* c0, ..., the names of dims, and the names with one value for all elements */
  int first;   /* slot of the last one */
  int64_t value[EXPR_MAX_VARS];
  int elements, limit; /* number of elements of the tile; number that it may occupy */
  int32_t *at;
} Mapping;

/* Each coordinate has two names: c0, ... and the name of its dimension. */
static void add_names(Mapping *m, Scope *scope) {
  for (int d = 0; d < m->tile->rank; d++) names_add(&m->names, tile_default_dim(KGEN_MAX_RANK, d));
  for (int d = 0; d < m->tile->rank; d++) names_add(&m->names, m->tile->dim[d]);
  m->first = m->names.count;
  m->names.lets = scope->names.lets;
  for (int i = 0; i < scope->names.count; i++) {
    const int slot = names_add(&m->names, scope->names.name[i]);
    if (slot >= 0) m->value[slot] = scope_knows(scope, i) ? scope->value[i] : 0;
  }
}

static const char *element(const Mapping *m, int index) {
  return tile_spell_element(m->in->arena, m->tile, index);
}

/* Evaluates the offsets of 32 elements at once. */
static bool work_out(Mapping *m, const Expr *e, int first, int64_t out[WARP]) {
  int64_t lanes[EXPR_MAX_VARS][WARP];
  uint32_t active = 0;
  for (int slot = 0; slot < m->names.count; slot++)
    for (int i = 0; i < WARP; i++) lanes[slot][i] = m->value[slot];
  for (int i = 0; i < WARP && first + i < m->elements; i++) {
    int coord[KGEN_MAX_RANK];
    tile_coord(m->tile, first + i, coord);
    active |= UINT32_C(1) << i;
    for (int d = 0; d < m->tile->rank; d++) lanes[d][i] = lanes[m->tile->rank + d][i] = coord[d];
  }
  const WarpEnv env = {(const int64_t(*)[WARP])lanes, active, true};
  return expr_eval_warp(e, &env, m->in->diag, out);
}

/* Checks that an element's offset is within the limit and not used by another. owner: the element
 * at each offset, numbered from 1; 0: none yet. */
static bool settle(Mapping *m, int index, int64_t at, int32_t *owner) {
  const Loc loc = m->node->loc;
  m->at[index] = (int32_t)at;
  if (at < 0 || at >= m->limit)
    diag_error(m->in->diag, loc, "element %s is at offset %lld, but there are 0 to %d",
               element(m, index), (long long)at, m->limit - 1);
  else if (owner[at])
    diag_error(m->in->diag, loc, "elements %s and %s meet at offset %lld",
               element(m, owner[at] - 1), element(m, index), (long long)at);
  else
    owner[at] = index + 1;
  return at >= 0 && at < m->limit && owner[at] == index + 1;
}

static bool map_all(Mapping *m, const Expr *e) {
  Arena *scratch = arena_new();
  int32_t *owner = ARENA_ARRAY(scratch, int32_t, (size_t)m->limit + 1);
  int64_t out[WARP];
  bool ok = true;
  m->at = ARENA_ARRAY(m->in->arena, int32_t, (size_t)m->elements);
  for (int first = 0; ok && first < m->elements; first += WARP) {
    ok = work_out(m, e, first, out);
    for (int i = 0; ok && i < WARP && first + i < m->elements; i++)
      ok = settle(m, first + i, out[i], owner);
  }
  arena_free(scratch);
  return ok;
}

/* The expression as the header spells it: coordinates get the names of the function's parameters,
 * and all other names are replaced by their numbers. */
static const char *spelled(const Mapping *m, const Expr *e) {
  const char *word[EXPR_MAX_VARS];
  Text out = text_new(m->in->arena);
  for (int i = 0; i < m->names.count; i++)
    word[i] = i < m->first ? m->tile->dim[i % m->tile->rank]
                           : arena_printf(m->in->arena, m->value[i] < 0 ? "(%lld)" : "%lld",
                                          (long long)m->value[i]);
  expr_spell(&out, e, word);
  return out.s;
}

static bool read_map(const Reader *in, Scope *scope, const Yaml *node, const Tile *tile,
                     GivenLayout *out) {
  Mapping *m = ARENA_NEW(in->arena, Mapping);
  *m = (Mapping){.in = in, .tile = tile, .node = node, .elements = tile_elements(tile)};
  m->limit = tile->want.max_bytes / tile->dtype->bytes;
  add_names(m, scope);
  const Expr *e = read_expr(m->in, node, "expr", &m->names);
  if (!e || !map_all(m, e)) return false;
  out->text = spelled(m, e);
  out->at = m->at;
  return true;
}

/* --- swizzle, cute, pad --- */

static bool read_swizzle(const Reader *in, const Yaml *node, GivenLayout *out) {
  const int mode = read_choice(in, node, "swizzle", mode_name, MODES);
  if (mode >= 0) out->bytes = mode_bytes[mode];
  return mode >= 0;
}

static bool read_cute(const Reader *in, const Yaml *node, GivenLayout *out) {
  enum { MAX_BITS = 16 };
  int v[3];
  static const char *const what[] = {"cute's B", "cute's M", "cute's S"};
  if (!expect_kind(in, node, "cute", YAML_LIST)) return false;
  if (node->count != 3) {
    diag_error(in->diag, node->loc, "cute is [B, M, S], three numbers, not %d", node->count);
    return false;
  }
  bool ok = true;
  for (int i = 0; i < 3; i++)
    ok = read_plain(in, node->item[i], what[i], i == 2 ? -MAX_BITS : 0, MAX_BITS, &v[i]) && ok;
  if (!ok) return false;
  const int distance = abs(v[2]);
  const char *wrong = distance < v[0]               ? "CuTe asks for |S| >= B"
                      : v[0] + v[1] + distance > 30 ? "B + M + |S| must be at most 30"
                                                    : NULL;
  if (wrong) diag_error(in->diag, node->loc, "Swizzle<%d, %d, %d>: %s", v[0], v[1], v[2], wrong);
  out->b = v[0];
  out->m = v[1];
  out->s = v[2];
  return !wrong;
}

static bool is_known(const Tile *t) {
  bool known = t->rank > 0 && t->dtype;
  for (int d = 0; d < t->rank; d++) known = known && t->extent[d] > 0;
  return known;
}

/* The value that specifies a layout; NULL if there is none, or with an error if there are
 * several. */
static const Yaml *find_given(const Reader *in, const Yaml *map, GivenKind *kind) {
  const Yaml *node = NULL;
  const char *before = yaml_get(map, "kind") ? "kind" : NULL;
  for (int i = 0; i < GIVEN_KEYS; i++) {
    const Yaml *value = yaml_get(map, given_key[i]);
    if (!value) continue;
    if (before) {
      diag_error(in->diag, yaml_key(map, given_key[i])->loc,
                 "'%s' says one layout and '%s' another", given_key[i], before);
      return NULL;
    }
    before = given_key[i];
    *kind = (GivenKind)i;
    node = value;
  }
  return node;
}

const GivenLayout *read_given(const Reader *in, Scope *scope, const Yaml *map, const Tile *tile) {
  GivenLayout *out = ARENA_NEW(in->arena, GivenLayout);
  const Yaml *node = find_given(in, map, &out->kind);
  if (!node || !is_known(tile)) return NULL;
  switch (out->kind) {
  case GIVEN_SWIZZLE: return read_swizzle(in, node, out) ? out : NULL;
  case GIVEN_CUTE: return read_cute(in, node, out) ? out : NULL;
  case GIVEN_PAD: return read_plain(in, node, "pad", 0, MAX_PAD, &out->pad) ? out : NULL;
  case GIVEN_EXPR: break;
  }
  return read_map(in, scope, node, tile, out) ? out : NULL;
}
