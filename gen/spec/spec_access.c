#include <stdlib.h>
#include <string.h>

#include "spec/spec_access.h"

enum { MAX_VECTOR = 16, MAX_WEIGHT = 1000000 };

static const Yaml *get(const AccessReader *a, const char *key) { return yaml_get(a->map, key); }

/* --- name, op, weight --- */

static void read_access_name(AccessReader *a, const AccessSpec *others, int count) {
  const Yaml *node = get(a, "name");
  a->out->name = node ? read_name(a->r, node, "access") : NULL;
  if (!a->out->name) a->out->name = arena_printf(a->r->arena, "access%d", count);
  for (int i = 0; i < count; i++)
    if (strcmp(others[i].name, a->out->name) == 0)
      diag_error(a->r->diag, node ? node->loc : a->map->loc, "a second access named '%s'",
                 a->out->name);
}

/* What an op is nearly is taken for it, so that the rest of the access is judged. */
static Op guess_op(AccessReader *a, const Yaml *node) {
  const char *near = node->kind == YAML_TEXT ? diag_nearest(node->text, op_name, OP_COUNT) : NULL;
  a->op_unknown = !near;
  for (int op = 0; near && op < OP_COUNT; op++)
    if (strcmp(op_name[op], near) == 0) return (Op)op;
  return OP_LOAD;
}

static void read_op(AccessReader *a) {
  const Yaml *node = get(a, "op");
  const int op = node ? read_choice(a->r, node, "op", op_name, OP_COUNT) : OP_LOAD;
  a->out->op = op < 0 ? guess_op(a, node) : (Op)op;
  const int chip = atoi(a->r->out->arch->name + 3);
  if (a->out->op == OP_STMATRIX && chip < 90)
    diag_error(a->r->diag, node->loc, "stmatrix needs sm_90, not %s", a->r->out->arch->name);
}

/* "1.5" in thousandths; -1 if it is no such number. */
static long thousandths(const char *s) {
  long v = 0;
  int digits = 0, places = -1;
  for (; *s; s++) {
    if (*s == '.' && places < 0 && digits > 0)
      places = 0;
    else if (*s < '0' || *s > '9' || places == 3 || v > MAX_WEIGHT * 10L)
      return -1;
    else {
      v = v * 10 + (*s - '0');
      digits++;
      if (places >= 0) places++;
    }
  }
  if (digits == 0 || places == 0) return -1;
  for (places = places < 0 ? 0 : places; places < 3; places++) v *= 10;
  return v;
}

static void read_weight(AccessReader *a) {
  const Yaml *node = get(a, "weight");
  a->out->weight = WEIGHT_ONE;
  if (!node) return;
  int64_t v;
  if (node->kind == YAML_TEXT && strchr(node->text, '.')) {
    const long w = thousandths(node->text);
    if (w > 0 && w <= (long)MAX_WEIGHT * WEIGHT_ONE)
      a->out->weight = w;
    else
      diag_error(a->r->diag, node->loc,
                 "weight must be a number from 0.001 to %d with at most 3 decimals", MAX_WEIGHT);
  } else if (read_value(a->r, node, "weight", a->scope, 1, MAX_WEIGHT, &v)) {
    a->out->weight = (long)v * WEIGHT_ONE;
  }
}

/* --- how much a lane moves --- */

static void read_matrices(AccessReader *a) {
  const Yaml *node = get(a, "matrices"), *vector = get(a, "vector");
  int64_t v = 4;
  a->out->matrices = 4;
  a->out->vector = 1;
  if (vector && !a->op_unknown)
    diag_error(a->r->diag, vector->loc, "%s moves rows of 16 bytes: it has no vector",
               op_name[a->out->op]);
  if (!node || !read_value(a->r, node, "matrices", a->scope, 1, 4, &v)) return;
  if (v == 3) diag_error(a->r->diag, node->loc, "matrices is 3, but must be 1, 2 or 4");
  a->out->matrices = (int)v;
}

static void read_vector(AccessReader *a) {
  const Yaml *node = get(a, "vector"), *matrices = get(a, "matrices");
  int64_t v = 1;
  if (matrices && !a->op_unknown)
    diag_error(a->r->diag, matrices->loc, "matrices is for ldmatrix and stmatrix, not for %s",
               op_name[a->out->op]);
  a->out->vector = 1;
  if (!node || !read_value(a->r, node, "vector", a->scope, 1, MAX_VECTOR, &v)) return;
  const Dtype *d = a->tile->dtype;
  const int64_t bytes = d ? v * d->bytes : 1;
  if (bytes <= 16 && (bytes & (bytes - 1)) == 0)
    a->out->vector = (int)v;
  else
    diag_error(a->r->diag, node->loc,
               "%lld elements of %s are %lld bytes a lane, but must be 1, 2, 4, 8 or 16",
               (long long)v, d->name, (long long)bytes);
}

/* --- names --- */

/* In the order of the slots. */
static const char *const lane_names[SLOT_FIXED] = {"lane", "warp", "tid", "tx", "ty", "tz"};

void add_loop(AccessReader *a, const char *name, int64_t count) {
  AccessSpec *out = a->out;
  if (out->loops == MAX_LOOPS) return;
  out->loop[out->loops++] = (Loop){name, names_add(&out->names, name), count};
}

static void read_loop(AccessReader *a, const Yaml *key, const Yaml *value) {
  const char *name = read_name(a->r, key, "loop variable");
  int64_t count = 1;
  const char *what = arena_printf(a->r->arena, "the count of '%s'", key->text);
  if (!read_value(a->r, value, what, a->scope, 1, MAX_TURNS, &count) || !name)
    a->out->unread = true;
  if (!name) return;
  const int hidden = names_find(&a->scope->names, name);
  if ((hidden < 0 || slot_is_ours(a->r, hidden)) && names_find(&a->out->names, name) < 0 &&
      !names_let(&a->scope->names, name)) {
    add_loop(a, name, count);
    return;
  }
  diag_error(a->r->diag, key->loc, "loop variable '%s' hides a name that expressions have", name);
  a->out->unread = true;
}

static void read_loops(AccessReader *a) {
  const Yaml *node = get(a, "for");
  if (!node) return;
  const bool map = expect_kind(a->r, node, "for", YAML_MAP);
  if (!map || node->count > MAX_LOOPS) a->out->unread = true;
  if (!map) return;
  if (node->count > MAX_LOOPS)
    diag_error(a->r->diag, node->loc, "%d loops, but there can be %d", node->count, MAX_LOOPS);
  for (int i = 0; i < node->count && i < MAX_LOOPS; i++)
    read_loop(a, node->pair[i].key, node->pair[i].value);
}

void add_constants(AccessReader *a) {
  AccessSpec *out = a->out;
  out->names.lets = a->scope->names.lets;
  for (int i = 0; i < a->scope->names.count; i++) {
    const int slot = names_add(&out->names, a->scope->names.name[i]);
    if (slot < 0) die("more than %d names", EXPR_MAX_VARS);
    out->value[slot] = a->scope->value[i];
  }
}

/* --- where: at --- */

/* True if a name that is the same for every lane has no value: that has been told. */
static bool reads_unknown(const AccessReader *a, const Expr *e) {
  const Scope *s = a->scope;
  const int first = a->out->names.count - s->names.count;
  for (int i = 0; i < s->names.count; i++)
    if (!s->known[i] && expr_uses(e, first + i)) return true;
  return false;
}

/* An expression over lanes, loops and constants; NULL if it cannot be evaluated. */
static const Expr *read_lane_expr(AccessReader *a, const Yaml *node, const char *what) {
  const Expr *e = read_expr(a->r, node, what, &a->out->names);
  return e && !reads_unknown(a, e) ? e : NULL;
}

static void read_at(AccessReader *a, const Yaml *node) {
  const int rank = a->tile->rank;
  if (node->kind != YAML_LIST && rank <= 1) {
    a->out->at[0] = read_lane_expr(a, node, "at");
    return;
  }
  if (!expect_kind(a->r, node, "at", YAML_LIST)) return;
  if (rank && node->count != rank) {
    diag_error(a->r->diag, node->loc, "at has length %d, but the tile has rank %d", node->count,
               rank);
    a->out->unread = true;
  }
  for (int i = 0; i < node->count; i++) {
    const Expr *e = read_lane_expr(a, node->item[i], "at");
    if (i < KGEN_MAX_RANK) a->out->at[i] = e;
  }
}

/* --- where: lanes --- */

/* Of a tile too large for any memory, which is told elsewhere, no more than an int holds. */
int64_t tile_elements(const AccessReader *a) {
  int64_t n = 1;
  for (int i = 0; i < a->tile->rank && n < INT32_MAX; i++)
    n *= a->r->global.value[a->tile->slot[i]];
  return n < INT32_MAX ? n : INT32_MAX;
}

static void read_lanes(AccessReader *a, const Yaml *node) {
  if (!expect_kind(a->r, node, "lanes", YAML_LIST)) return;
  if (node->count != WARP) {
    diag_error(a->r->diag, node->loc, "lanes has %d entries, but a warp has %d", node->count, WARP);
    return;
  }
  const int64_t n = tile_elements(a);
  int64_t *lanes = ARENA_ARRAY(a->r->arena, int64_t, WARP);
  for (int i = 0; i < WARP; i++) {
    const Yaml *entry = node->item[i];
    lanes[i] = -1;
    if (yaml_is_null(entry)) continue;
    const int64_t max = n > 0 ? n - 1 : INT32_MAX;
    if (!read_value(a->r, entry, "a lane's element", a->scope, 0, max, &lanes[i]))
      a->out->unread = true;
  }
  a->out->lanes = lanes;
}

/* --- one access --- */

/* A pattern and a list of lanes say it all: what else is given would not be heard. */
static void refuse(AccessReader *a, const char *beside, const char *const *unheard, int count) {
  for (int i = 0; i < count; i++) {
    const Yaml *key = yaml_key(a->map, unheard[i]);
    if (key)
      diag_error(a->r->diag, key->loc, "'%s' beside '%s': use 'at' instead", key->text, beside);
  }
}

static void read_expressions(AccessReader *a, const Yaml *at) {
  const Yaml *when = get(a, "when");
  read_loops(a);
  add_constants(a);
  read_at(a, at);
  if (when) a->out->when = read_lane_expr(a, when, "when");
  if ((when && !a->out->when) || !block_is_known(a->r)) a->out->unread = true;
}

static void read_where(AccessReader *a) {
  static const char *const unheard[] = {"for", "when"};
  const Yaml *at = get(a, "at"), *pattern = get(a, "pattern"), *lanes = get(a, "lanes");
  const int ways = (at != NULL) + (pattern != NULL) + (lanes != NULL);
  for (int i = 0; i < SLOT_FIXED; i++) names_add(&a->out->names, lane_names[i]);
  if (ways != 1) a->out->unread = true;
  if (ways != 1)
    diag_error(a->r->diag, a->map->loc, "access '%s' %s", a->out->name,
               ways ? "has more than one of 'at', 'pattern' and 'lanes'"
                    : "needs one of 'at', 'pattern' and 'lanes'");
  if (at)
    read_expressions(a, at);
  else if (pattern)
    read_pattern(a, pattern);
  else if (lanes)
    read_lanes(a, lanes);
  if (!at && !a->out->at[0] && !a->out->lanes) a->out->unread = true;
  if (ways == 1 && !at) refuse(a, pattern ? "pattern" : "lanes", unheard, 2);
}

static void read_times(AccessReader *a) {
  const Yaml *node = get(a, "times");
  if (!node) return;
  if (a->r->out->problem)
    a->out->times = read_expr(a->r, node, "times", &a->r->out->problem->names);
  else if (!a->r->blind)
    diag_error(a->r->diag, node->loc, "'times' is for a family, which has a problem's sizes");
}

static void read_access(AccessReader *a, const AccessSpec *others, int count) {
  static const char *const keys[] = {"name", "if",   "op",    "vector", "matrices", "weight",
                                     "for",  "when", "times", "at",     "pattern",  "lanes"};
  a->out->loc = a->map->loc;
  a->out->name = "";
  a->map = check_keys(a->r, a->map, keys, sizeof(keys) / sizeof(*keys));
  read_access_name(a, others, count);
  read_op(a);
  read_weight(a);
  if (op_moves_matrices(a->out->op) || (a->op_unknown && get(a, "matrices")))
    read_matrices(a);
  else
    read_vector(a);
  read_where(a);
  read_times(a);
}

/* False if its `if` is 0: this variant of the kernel has no such access. */
static bool access_exists(AccessReader *a) {
  const Yaml *node = get(a, "if");
  int64_t holds = 1;
  if (node && !read_value(a->r, node, "if", a->scope, INT64_MIN, INT64_MAX, &holds))
    a->out->unread = true;
  return holds;
}

void read_accesses(SpecReader *r, const TileNodes *nodes, TileSpec *tile) {
  const Yaml *list = nodes->access;
  if (!list || !expect_kind(r, list, "access", YAML_LIST)) return;
  if (list->count < 1 || list->count > MAX_ACCESSES) {
    diag_error(r->diag, list->loc, "%d accesses, but a tile must have 1 to %d", list->count,
               MAX_ACCESSES);
    return;
  }
  AccessSpec *access = ARENA_ARRAY(r->arena, AccessSpec, (size_t)list->count);
  const Scope *scope = tile_scope(r, nodes);
  int absent = 0;
  for (int i = 0; i < list->count; i++) {
    AccessReader a = {r, nodes, scope, list->item[i], &access[tile->accesses], false};
    if (!expect_kind(r, a.map, "an access", YAML_MAP)) continue;
    if (!access_exists(&a)) {
      absent++;
      continue;
    }
    read_access(&a, access, tile->accesses);
    tile->accesses++;
  }
  if (absent == list->count) diag_error(r->diag, list->loc, "the 'if' of every access is 0");
  tile->access = access;
}
