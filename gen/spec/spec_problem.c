/* SPDX-License-Identifier: MIT */
#include "spec/spec_problem.h"

#include "spec/expr_parse.h"
#include "spec/spec_keys.h"
#include "spec/spec_map.h"

enum { MAX_CHECKS = 64, MAX_ARGS = 64 };
#define MAX_SIZE (INT64_C(1) << 40)

/* A problem being read. Its extents come first, because everything else may use their names. */
typedef struct {
  SpecReader *r;
  const Reader *in;
  const Yaml *buffers; /* once they are read */
  ProblemSpec *out;
} ProblemReader;

/* --- sizes --- */

static void add_extent(ProblemReader *p, const Yaml *node) {
  const char *name = read_name(p->in, node, "extent");
  const Names *global = &p->r->scope.names;
  if (!name) return;
  if (names_find(global, name) >= 0 || names_let(global, name) ||
      names_find(&p->out->names, name) >= 0)
    diag_error(p->in->diag, node->loc, "extent '%s' hides a name that expressions have", name);
  else
    names_add(&p->out->names, name);
}

/* Declares the spec's names after the extents, and shared_bytes last. */
static void read_extents(void *to, const Key *key, const Yaml *value) {
  ProblemReader *p = to;
  Scope *s = &p->r->scope;
  ProblemSpec *out = p->out;
  (void)key;
  for (int i = 0; value && i < value->count; i++) add_extent(p, value->item[i]);
  out->extents = out->names.count;
  for (int i = 0; i < s->names.count; i++)
    out->value[names_add(&out->names, s->names.name[i])] = scope_knows(s, i) ? s->value[i] : 0;
  out->names.lets = s->names.lets;
  out->shared_slot = names_add(&out->names, "shared_bytes");
  if (out->shared_slot < 0) die("more than %d names", EXPR_MAX_VARS);
}

/* Reads a list of sizes, one for each extent. */
static void read_extent_sizes(ProblemReader *p, const Yaml *node, const char *what, int64_t *out) {
  if (!expect_kind(p->in, node, what, YAML_LIST)) return;
  if (node->count != p->out->extents) {
    diag_error(p->in->diag, node->loc, "%s has %d sizes for %d extents", what, node->count,
               p->out->extents);
    return;
  }
  for (int i = 0; i < node->count; i++)
    scope_read(&p->r->scope, node->item[i], what, 0, MAX_SIZE, &out[i]);
}

static void read_checks(void *to, const Key *key, const Yaml *value) {
  ProblemReader *p = to;
  if (!value) return;
  int64_t(*check)[MAX_EXTENTS] = arena_array(p->in->arena, (size_t)value->count, sizeof(*check));
  for (int i = 0; i < value->count; i++) read_extent_sizes(p, value->item[i], key->name, check[i]);
  p->out->check = (const int64_t(*)[MAX_EXTENTS])check;
  p->out->checks = value->count;
}

static void read_exact(void *to, const Key *key, const Yaml *value) {
  ProblemReader *p = to;
  if (value) read_extent_sizes(p, value, key->name, p->out->exact);
}

static void read_bench(void *to, const Key *key, const Yaml *value) {
  ProblemReader *p = to;
  if (value) read_extent_sizes(p, value, key->name, p->out->bench);
}

static const Expr *read_formula(const ProblemReader *p, const Yaml *node, const char *what) {
  return read_expr(p->in, node, what, &p->out->names);
}

/* --- buffers --- */

typedef struct {
  ProblemReader *p;
  BufferSpec *out;
  const Yaml *dtypes; /* which `dtype` is an index of; or NULL */
} BufferReader;

static void read_role(void *to, const Key *key, const Yaml *value) {
  const BufferReader *b = to;
  const int role = key_word(b->p->in, key, value);
  b->out->output = role == 1;
  b->out->workspace = role == 2;
}

static void read_count(void *to, const Key *key, const Yaml *value) {
  const BufferReader *b = to;
  if (value) b->out->count = read_formula(b->p, value, key->name);
}

static void read_dtypes(void *to, const Key *key, const Yaml *value) {
  BufferReader *b = to;
  (void)key;
  b->dtypes = value;
}

/* Reads the type by name, or as an index into the buffer's `dtypes`, which have been read; the
 * default is the first tile's. */
static void read_buffer_dtype(void *to, const Key *key, const Yaml *value) {
  const BufferReader *b = to;
  SpecReader *r = b->p->r;
  int64_t i = 0;
  if (!value)
    b->out->dtype = r->tiles ? r->tile[0].dtype : NULL;
  else if (!b->dtypes)
    b->out->dtype = read_dtype(&r->in, value);
  else if (scope_read(&r->scope, value, key->name, 0, b->dtypes->count - 1, &i))
    b->out->dtype = read_dtype(&r->in, b->dtypes->item[i]);
  b->out->type = value && b->out->dtype ? b->out->dtype->name : NULL;
}

static const char *const roles[] = {"input", "output", "workspace"};

// clang-format off
static const Key buffer_keys[] = {
    {.name = "role", .kind = VALUE_WORD, .word = roles, .max = 3, .required = true,
     .read = read_role},
    {.name = "count", .kind = VALUE_EXPR, .required = true, .read = read_count},
    {.name = "dtypes", .kind = VALUE_LIST, .read = read_dtypes},
    {.name = "dtype", .read = read_buffer_dtype},
};
// clang-format on
KEY_TABLE(buffer_table, buffer_keys);

static void read_buffer(ProblemReader *p, const Yaml *key, const Yaml *map, BufferSpec *out) {
  BufferReader b = {p, out, NULL};
  out->name = read_name(p->in, key, "buffer");
  if (!expect_kind(p->in, map, "a buffer", YAML_MAP)) return;
  const char *owner = arena_printf(p->in->arena, "buffer '%s'", key->text);
  keys_take(p->in, map, &buffer_table, key->loc, owner, &b);
}

static void read_buffers(void *to, const Key *key, const Yaml *value) {
  ProblemReader *p = to;
  (void)key;
  if (!value) return;
  BufferSpec *buffer = ARENA_ARRAY(p->in->arena, BufferSpec, (size_t)value->count);
  for (int i = 0; i < value->count; i++)
    read_buffer(p, value->pair[i].key, value->pair[i].value, &buffer[i]);
  p->buffers = value;
  p->out->buffer = buffer;
  p->out->buffers = value->count;
}

/* --- arguments and grid --- */

static ArgSpec read_buffer_arg(const ProblemReader *p, const Yaml *node) {
  const char *names[MAX_BUFFERS];
  int count = 0;
  for (; count < p->out->buffers; count++) names[count] = p->buffers->pair[count].key->text;
  return (ArgSpec){.name = node->text,
                   .type = "buffer",
                   .buffer = read_choice(p->in, node, "buffer", names, count)};
}

static ArgSpec read_other_arg(const ProblemReader *p, const Yaml *node) {
  static const char *const types[] = {"i32", "i64", "f32", "map"};
  enum { MAP = 3 };
  ArgSpec arg = {.buffer = -1};
  if (node->kind != YAML_MAP || node->count != 1) {
    diag_error(p->in->diag, node->loc,
               "an argument is a buffer's name, {i32: expression} or {map: {...}}");
    return arg;
  }
  const Yaml *key = node->pair[0].key, *value = node->pair[0].value;
  const int i = read_choice(p->in, key, "argument type", types, MAP + 1);
  if (i >= 0) arg.type = types[i];
  if (i == MAP)
    arg.map = map_spec_read(p->in, &p->out->names, p->buffers, value);
  else
    arg.value = read_formula(p, value, key->text);
  return arg;
}

static void read_args(void *to, const Key *key, const Yaml *value) {
  ProblemReader *p = to;
  (void)key;
  if (!value) return;
  ArgSpec *arg = ARENA_ARRAY(p->in->arena, ArgSpec, (size_t)value->count);
  for (int i = 0; i < value->count; i++) {
    const Yaml *node = value->item[i];
    arg[i] = node->kind == YAML_TEXT ? read_buffer_arg(p, node) : read_other_arg(p, node);
  }
  p->out->arg = arg;
  p->out->args = value->count;
}

/* Omitted dimensions are 1. */
static void read_sides(const ProblemReader *p, const Key *key, const Yaml *value,
                       const Expr *side[3]) {
  for (int i = 0; value && i < 3; i++)
    side[i] = i < value->count
                  ? read_formula(p, value->item[i], key->name)
                  : expr_parse(p->in->arena, p->in->diag, value->loc, "1", &p->out->names);
}

static void read_grid(void *to, const Key *key, const Yaml *value) {
  const ProblemReader *p = to;
  read_sides(p, key, value, p->out->grid);
}

static void read_cluster(void *to, const Key *key, const Yaml *value) {
  const ProblemReader *p = to;
  read_sides(p, key, value, p->out->cluster);
}

/* {tiles: small}: NAME_tiles is launched if `small` is not 0; of several kernels the first that
 * applies. */
static void read_entry(void *to, const Key *key, const Yaml *value) {
  const ProblemReader *p = to;
  if (!value) return;
  if (!value->count) diag_error(p->in->diag, value->loc, "an entry is {name: expression}");
  for (int i = 0; i < value->count; i++)
    p->out->entry[p->out->entries++] =
        (EntrySpec){.name = read_name(p->in, value->pair[i].key, key->name),
                    .when = read_formula(p, value->pair[i].value, key->name)};
}

/* An expression, which may also use shared_bytes, for an entry that needs less than all tiles. */
static void read_shared(void *to, const Key *key, const Yaml *value) {
  ProblemReader *p = to;
  if (value) p->out->shared = read_formula(p, value, key->name);
}

static void read_programmatic(void *to, const Key *key, const Yaml *value) {
  const ProblemReader *p = to;
  key_bool(p->in, key, value, &p->out->programmatic);
}

static void read_linear(void *to, const Key *key, const Yaml *value) {
  const ProblemReader *p = to;
  key_bool(p->in, key, value, &p->out->linear);
}

static void read_bytes(void *to, const Key *key, const Yaml *value) {
  ProblemReader *p = to;
  if (value) p->out->bytes = read_formula(p, value, key->name);
}

static void read_flops(void *to, const Key *key, const Yaml *value) {
  ProblemReader *p = to;
  if (value) p->out->flops = read_formula(p, value, key->name);
}

/* --- the whole problem --- */

// clang-format off
static const Key problem_keys[] = {
    {.name = "extents", .kind = VALUE_LIST, .max = MAX_EXTENTS, .required = true,
     .read = read_extents},
    {.name = "sizes", .kind = VALUE_MAP, .max = MAX_SIZES}, /* read with the params */
    {.name = "check", .kind = VALUE_LIST, .max = MAX_CHECKS, .required = true, .read = read_checks},
    {.name = "exact", .kind = VALUE_LIST, .max = MAX_EXTENTS, .required = true, .read = read_exact},
    {.name = "bench", .kind = VALUE_LIST, .max = MAX_EXTENTS, .required = true, .read = read_bench},
    {.name = "buffers", .kind = VALUE_MAP, .max = MAX_BUFFERS, .required = true,
     .read = read_buffers},
    {.name = "args", .kind = VALUE_LIST, .max = MAX_ARGS, .required = true, .read = read_args},
    {.name = "grid", .kind = VALUE_LIST, .max = 3, .required = true, .read = read_grid},
    {.name = "cluster", .kind = VALUE_LIST, .max = 3, .read = read_cluster},
    {.name = "entry", .kind = VALUE_MAP, .max = MAX_OTHERS, .read = read_entry},
    {.name = "shared", .kind = VALUE_EXPR, .read = read_shared},
    {.name = "programmatic", .kind = VALUE_BOOL, .read = read_programmatic},
    {.name = "linear", .kind = VALUE_BOOL, .read = read_linear},
    {.name = "bytes", .kind = VALUE_TEXT, .required = true, .read = read_bytes},
    {.name = "flops", .kind = VALUE_EXPR, .read = read_flops},
};
// clang-format on
KEY_TABLE(problem_table, problem_keys);

void read_problem(SpecReader *r) {
  const Yaml *map = yaml_get(r->family, "problem");
  if (!map || !expect_kind(&r->in, map, "problem", YAML_MAP)) return;
  ProblemReader p = {r, &r->in, NULL, ARENA_NEW(r->in.arena, ProblemSpec)};
  keys_take(p.in, map, &problem_table, map->loc, "the problem", &p);
  r->out->problem = p.out;
}

void read_constants(SpecReader *r) {
  const Yaml *map = yaml_get(r->family, "constants");
  if (!map || !expect_kind(&r->in, map, "constants", YAML_MAP)) return;
  Constant *constant = ARENA_ARRAY(r->in.arena, Constant, (size_t)map->count);
  for (int i = 0; i < map->count; i++) {
    constant[i].name = read_name(&r->in, map->pair[i].key, "constant");
    scope_read(&r->scope, map->pair[i].value, map->pair[i].key->text, INT32_MIN, INT32_MAX,
               &constant[i].value);
  }
  r->out->constants = map->count;
  r->out->constant = constant;
}
