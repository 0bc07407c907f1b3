/* SPDX-License-Identifier: MIT */
#include "spec/spec_lanes.h"

#include "spec/names.h"
#include "spec/spec_names.h"
#include "spec/spec_pattern.h"
#include "spec/spec_tile.h"

/* --- for, when, at, from --- */

/* A loop variable may hide names that kgen defines (spec_names.h), and no others. */
static bool loop_name_is_free(const AccessReader *a, const char *name) {
  const int hidden = names_find(&a->scope->names, name);
  return (hidden < 0 || slot_is_ours(a->r, hidden)) && names_find(&a->out->names, name) < 0 &&
         !names_let(&a->scope->names, name);
}

static void read_loop(AccessReader *a, const Yaml *key, const Yaml *value) {
  const char *name = read_name(a->in, key, "loop variable");
  int64_t count = 1;
  const char *what = arena_printf(a->in->arena, "the count of '%s'", key->text);
  if (!scope_read(a->scope, value, what, 1, MAX_TURNS, &count) || !name) a->out->unread = true;
  if (!name) return;
  if (loop_name_is_free(a, name)) {
    access_add_loop(a, name, count);
    return;
  }
  diag_error(a->in->diag, key->loc, "loop variable '%s' hides a name that expressions have", name);
  a->out->unread = true;
}

void read_loops(void *to, const Key *key, const Yaml *value) {
  AccessReader *a = to;
  (void)key;
  if (yaml_get(a->map, "for") && (!value || value->count > MAX_LOOPS)) a->out->unread = true;
  if (value && value->count > MAX_LOOPS)
    diag_error(a->in->diag, value->loc, "%d loops, but there can be %d", value->count, MAX_LOOPS);
  for (int i = 0; value && i < value->count && i < MAX_LOOPS; i++)
    read_loop(a, value->pair[i].key, value->pair[i].value);
  access_add_constants(a);
}

/* True if it reads a lane-independent name without a value, which was reported. */
static bool reads_unknown(const AccessReader *a, const Expr *e) {
  const int first = a->out->names.count - a->scope->names.count;
  bool unknown = false;
  for (int i = 0; i < a->scope->names.count; i++)
    if (expr_uses(e, first + i)) unknown = !scope_knows(a->scope, i) || unknown;
  return unknown;
}

/* An expression over lanes, loops and constants; NULL if it cannot be evaluated. */
static const Expr *read_lane_expr(AccessReader *a, const Yaml *node, const char *what) {
  const Expr *e = read_expr(a->in, node, what, &a->out->names);
  return e && !reads_unknown(a, e) ? e : NULL;
}

void read_when(void *to, const Key *key, const Yaml *value) {
  AccessReader *a = to;
  if (!value) return;
  a->out->when = read_lane_expr(a, value, key->name);
  if (!a->out->when) a->out->unread = true;
}

void read_at(void *to, const Key *key, const Yaml *value) {
  AccessReader *a = to;
  const int rank = a->tile->rank;
  if (value->kind != YAML_LIST && rank <= 1) {
    a->out->at[0] = read_lane_expr(a, value, key->name);
    return;
  }
  if (!expect_kind(a->in, value, key->name, YAML_LIST)) return;
  if (rank && value->count != rank) {
    diag_error(a->in->diag, value->loc, "at has length %d, but the tile has rank %d", value->count,
               rank);
    a->out->unread = true;
  }
  for (int i = 0; i < value->count; i++) {
    const Expr *e = read_lane_expr(a, value->item[i], key->name);
    if (i < KGEN_MAX_RANK) a->out->at[i] = e;
  }
}

/* The source in device memory: a list of coordinates, one per dimension, or an element index. */
void read_from(void *to, const Key *key, const Yaml *value) {
  AccessReader *a = to;
  const bool list = value && value->kind == YAML_LIST;
  if (!value) return;
  if (!yaml_get(a->map, "at")) {
    diag_error(a->in->diag, value->loc, "'from' needs 'at', whose names it uses");
    return;
  }
  if (list && (value->count < 1 || value->count > KGEN_MAX_RANK)) {
    diag_error(a->in->diag, value->loc, "from has length %d, but a source has 1 to %d dimensions",
               value->count, KGEN_MAX_RANK);
    a->out->unread = true;
    return;
  }
  a->out->from_dims = list ? value->count : 1;
  for (int i = 0; i < a->out->from_dims; i++) {
    a->out->from[i] = read_lane_expr(a, list ? value->item[i] : value, key->name);
    if (!a->out->from[i]) a->out->unread = true;
  }
}

/* --- lanes, patterns, times --- */

void read_lanes(void *to, const Key *key, const Yaml *value) {
  AccessReader *a = to;
  (void)key;
  if (value && value->count != WARP)
    diag_error(a->in->diag, value->loc, "lanes has %d entries, but a warp has %d", value->count,
               WARP);
  if (!value || value->count != WARP) return;
  const int64_t n = spec_tile_elements(a->r, a->tile), max = n > 0 ? n - 1 : INT32_MAX;
  int64_t *lanes = ARENA_ARRAY(a->in->arena, int64_t, WARP);
  for (int i = 0; i < WARP; i++) {
    lanes[i] = -1;
    if (yaml_is_null(value->item[i])) continue;
    if (!scope_read(a->scope, value->item[i], "a lane's element", 0, max, &lanes[i]))
      a->out->unread = true;
  }
  a->out->lanes = lanes;
}

void read_pattern_key(void *to, const Key *key, const Yaml *value) {
  (void)key;
  if (value) read_pattern(to, value);
}

void read_times(void *to, const Key *key, const Yaml *value) {
  const AccessReader *a = to;
  const ProblemSpec *problem = a->r->out->problem;
  if (value && problem) a->out->times = read_expr(a->in, value, key->name, &problem->names);
}
