#include <string.h>

#include "spec/expr_parse.h"
#include "spec/spec_reader.h"

enum { MAX_SIZES = 64, MAX_BUFFERS = 32, MAX_ARGS = 64 };
#define MAX_SIZE (INT64_C(1) << 40)

static const char *const keys[] = {"extents", "check", "exact", "bench", "buffers",
                                   "args",    "grid",  "bytes", "flops"};

/* A problem that is being read. */
typedef struct {
  SpecReader *r;
  const Yaml *map;
  ProblemSpec *out;
} Reading;

/* A key that every problem has; NULL with an error if it is missing or of the wrong kind. */
static const Yaml *require(Reading *p, const char *key, YamlKind kind, int max) {
  const Yaml *node = yaml_get(p->map, key);
  if (!node) diag_error(p->r->diag, p->map->loc, "the problem has no '%s'", key);
  if (!node || !expect_kind(p->r, node, key, kind)) return NULL;
  if (node->count <= max) return node;
  diag_error(p->r->diag, node->loc, "%s has %d entries, but can have %d", key, node->count, max);
  return NULL;
}

static void read_extents(Reading *p) {
  const Yaml *list = require(p, "extents", YAML_LIST, MAX_EXTENTS);
  for (int i = 0; list && i < list->count; i++) {
    const char *name = read_name(p->r, list->item[i], "extent");
    if (!name) continue;
    if (names_find(&p->r->global.names, name) >= 0 || names_find(&p->out->names, name) >= 0 ||
        names_let(&p->r->global.names, name))
      diag_error(p->r->diag, list->item[i]->loc, "extent '%s' hides a name that expressions have",
                 name);
    else
      names_add(&p->out->names, name);
  }
  p->out->extents = p->out->names.count;
}

static void add_names(Reading *p) {
  const Scope *s = &p->r->global;
  for (int i = 0; i < s->names.count; i++)
    p->out->value[names_add(&p->out->names, s->names.name[i])] = s->value[i];
  p->out->names.lets = s->names.lets;
  p->out->shared_slot = names_add(&p->out->names, "shared_bytes");
  if (p->out->shared_slot < 0) die("more than %d names", EXPR_MAX_VARS);
}

/* One size for each extent. */
static void read_sizes(Reading *p, const Yaml *node, const char *what, int64_t *out) {
  if (!expect_kind(p->r, node, what, YAML_LIST)) return;
  if (node->count != p->out->extents) {
    diag_error(p->r->diag, node->loc, "%s has %d sizes for %d extents", what, node->count,
               p->out->extents);
    return;
  }
  for (int i = 0; i < node->count; i++)
    read_value(p->r, node->item[i], what, &p->r->global, 0, MAX_SIZE, &out[i]);
}

static void read_checks(Reading *p) {
  const Yaml *list = require(p, "check", YAML_LIST, MAX_SIZES);
  if (!list) return;
  int64_t(*check)[MAX_EXTENTS] = arena_array(p->r->arena, (size_t)list->count, sizeof(*check));
  for (int i = 0; i < list->count; i++) read_sizes(p, list->item[i], "check", check[i]);
  p->out->check = (const int64_t(*)[MAX_EXTENTS])check;
  p->out->checks = list->count;
}

static const Expr *read_formula(Reading *p, const Yaml *node, const char *what) {
  return read_expr(p->r, node, what, &p->out->names);
}

/* --- buffers and arguments --- */

/* A buffer's dtype: by name, or `dtype` as the index of one of its `dtypes`. */
static const Dtype *read_buffer_dtype(Reading *p, const Yaml *dtype, const Yaml *list) {
  int64_t i = 0;
  if (!list) return read_dtype(p->r, dtype);
  if (!expect_kind(p->r, list, "dtypes", YAML_LIST)) return NULL;
  if (!read_value(p->r, dtype, "dtype", &p->r->global, 0, list->count - 1, &i)) return NULL;
  return read_dtype(p->r, list->item[i]);
}

static void read_buffer(Reading *p, const Yaml *key, const Yaml *map, BufferSpec *out) {
  static const char *const buffer_keys[] = {"role", "count", "dtype", "dtypes"};
  static const char *const roles[] = {"input", "output", "workspace"};
  out->name = read_name(p->r, key, "buffer");
  if (!expect_kind(p->r, map, "a buffer", YAML_MAP)) return;
  map = check_keys(p->r, map, buffer_keys, 4);
  const Yaml *role = yaml_get(map, "role"), *count = yaml_get(map, "count");
  const Yaml *dtype = yaml_get(map, "dtype");
  const int choice = role ? read_choice(p->r, role, "role", roles, 3) : -1;
  out->output = choice == 1;
  out->workspace = choice == 2;
  if (!role) diag_error(p->r->diag, key->loc, "buffer '%s' has no 'role'", key->text);
  if (count)
    out->count = read_formula(p, count, "count");
  else
    diag_error(p->r->diag, key->loc, "buffer '%s' has no 'count'", key->text);
  if (dtype)
    out->dtype = read_buffer_dtype(p, dtype, yaml_get(map, "dtypes"));
  else if (p->r->tiles)
    out->dtype = p->r->tile[0].dtype;
  out->type = dtype && out->dtype ? out->dtype->name : NULL;
}

static void read_buffers(Reading *p) {
  const Yaml *map = require(p, "buffers", YAML_MAP, MAX_BUFFERS);
  if (!map) return;
  BufferSpec *buffer = ARENA_ARRAY(p->r->arena, BufferSpec, (size_t)map->count);
  for (int i = 0; i < map->count; i++)
    read_buffer(p, map->pair[i].key, map->pair[i].value, &buffer[i]);
  p->out->buffer = buffer;
  p->out->buffers = map->count;
}

static void read_buffer_arg(Reading *p, const Yaml *node, ArgSpec *out) {
  const char *names[MAX_BUFFERS];
  int count = 0;
  const Yaml *buffers = yaml_get(p->map, "buffers");
  for (; count < p->out->buffers; count++) names[count] = buffers->pair[count].key->text;
  const int i = read_choice(p->r, node, "buffer", names, count);
  *out = (ArgSpec){node->text, "buffer", i, NULL};
}

static void read_number_arg(Reading *p, const Yaml *node, ArgSpec *out) {
  static const char *const types[] = {"i32", "i64", "f32"};
  if (node->kind != YAML_MAP || node->count != 1) {
    diag_error(p->r->diag, node->loc, "an argument is a buffer's name or {i32: expression}");
    return;
  }
  const Yaml *key = node->pair[0].key;
  const int i = read_choice(p->r, key, "argument type", types, 3);
  const Expr *value = read_formula(p, node->pair[0].value, key->text);
  *out = (ArgSpec){NULL, i < 0 ? NULL : types[i], -1, value};
}

static void read_args(Reading *p) {
  const Yaml *list = require(p, "args", YAML_LIST, MAX_ARGS);
  if (!list) return;
  ArgSpec *arg = ARENA_ARRAY(p->r->arena, ArgSpec, (size_t)list->count);
  for (int i = 0; i < list->count; i++) {
    if (list->item[i]->kind == YAML_TEXT)
      read_buffer_arg(p, list->item[i], &arg[i]);
    else
      read_number_arg(p, list->item[i], &arg[i]);
  }
  p->out->arg = arg;
  p->out->args = list->count;
}

static void read_grid(Reading *p) {
  const Yaml *list = require(p, "grid", YAML_LIST, 3);
  for (int i = 0; list && i < 3; i++)
    p->out->grid[i] = i < list->count
                          ? read_formula(p, list->item[i], "grid")
                          : expr_parse(p->r->arena, p->r->diag, list->loc, "1", &p->out->names);
}

void read_problem(SpecReader *r) {
  const Yaml *map = yaml_get(r->family, "problem");
  if (!r->family) return;
  if (!map) diag_error(r->diag, r->family->loc, "'problem' is missing");
  if (!map || !expect_kind(r, map, "problem", YAML_MAP)) return;
  map = check_keys(r, map, keys, sizeof(keys) / sizeof(*keys));
  Reading p = {r, map, ARENA_NEW(r->arena, ProblemSpec)};
  read_extents(&p);
  add_names(&p);
  read_checks(&p);
  const Yaml *exact = require(&p, "exact", YAML_LIST, MAX_EXTENTS);
  const Yaml *bench = require(&p, "bench", YAML_LIST, MAX_EXTENTS);
  if (exact) read_sizes(&p, exact, "exact", p.out->exact);
  if (bench) read_sizes(&p, bench, "bench", p.out->bench);
  read_buffers(&p);
  read_args(&p);
  read_grid(&p);
  const Yaml *bytes = require(&p, "bytes", YAML_TEXT, 0), *flops = yaml_get(map, "flops");
  if (bytes) p.out->bytes = read_formula(&p, bytes, "bytes");
  if (flops) p.out->flops = read_formula(&p, flops, "flops");
  r->out->problem = p.out;
}

void read_constants(SpecReader *r) {
  const Yaml *map = yaml_get(r->family, "constants");
  if (!map || !expect_kind(r, map, "constants", YAML_MAP)) return;
  Constant *constant = ARENA_ARRAY(r->arena, Constant, (size_t)map->count);
  for (int i = 0; i < map->count; i++) {
    constant[i].name = read_name(r, map->pair[i].key, "constant");
    read_value(r, map->pair[i].value, map->pair[i].key->text, &r->global, INT32_MIN, INT32_MAX,
               &constant[i].value);
  }
  r->out->constants = map->count;
  r->out->constant = constant;
}
