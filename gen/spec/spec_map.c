/* SPDX-License-Identifier: MIT */
#include "spec/spec_map.h"

#include "spec/spec_keys.h"

typedef struct {
  const Reader *in;
  const Names *names;
  const Yaml *buffers;
  MapSpec *out;
} MapReader;

static const Expr *read_formula(const MapReader *m, const Yaml *node, const char *what) {
  return read_expr(m->in, node, what, m->names);
}

/* Checks that a list has as many entries as the map has dimensions, minus `fewer`. */
static void read_list(const MapReader *m, const Key *key, const Yaml *list, int fewer,
                      const Expr **out) {
  const int count = m->out->rank - fewer;
  if (list->count != count)
    diag_error(m->in->diag, list->loc, "%s has %d value%s, but must have %d", key->name,
               list->count, list->count == 1 ? "" : "s", count);
  for (int i = 0; i < list->count && i < count; i++)
    out[i] = read_formula(m, list->item[i], key->name);
}

static void read_buffer(void *to, const Key *key, const Yaml *value) {
  const MapReader *m = to;
  const char *names[MAX_BUFFERS];
  int count = 0;
  if (!value) return;
  for (; m->buffers && count < m->buffers->count && count < MAX_BUFFERS; count++)
    names[count] = m->buffers->pair[count].key->text;
  m->out->buffer = read_choice(m->in, value, key->name, names, count);
}

static void read_dims(void *to, const Key *key, const Yaml *value) {
  const MapReader *m = to;
  if (!value) return;
  m->out->rank = value->count;
  read_list(m, key, value, 0, m->out->dim);
}

static void read_strides(void *to, const Key *key, const Yaml *value) {
  const MapReader *m = to;
  if (value) read_list(m, key, value, 1, m->out->stride + 1);
}

static void read_box(void *to, const Key *key, const Yaml *value) {
  const MapReader *m = to;
  if (value) read_list(m, key, value, 0, m->out->box);
}

static void read_steps(void *to, const Key *key, const Yaml *value) {
  const MapReader *m = to;
  if (value) read_list(m, key, value, 0, m->out->step);
}

static void read_swizzle(void *to, const Key *key, const Yaml *value) {
  const MapReader *m = to;
  if (value) m->out->swizzle = read_formula(m, value, key->name);
}

static void read_fill(void *to, const Key *key, const Yaml *value) {
  const MapReader *m = to;
  m->out->fill_nan = value && key_word(m->in, key, value) == 1;
}

static const char *const fills[] = {"zero", "nan"};

// clang-format off
static const Key map_keys[] = {
    {.name = "buffer", .kind = VALUE_TEXT, .required = true, .read = read_buffer},
    {.name = "dims", .kind = VALUE_LIST, .max = TENSOR_MAX_RANK, .required = true,
     .read = read_dims},
    {.name = "strides", .kind = VALUE_LIST, .max = TENSOR_MAX_RANK - 1, .read = read_strides},
    {.name = "box", .kind = VALUE_LIST, .max = TENSOR_MAX_RANK, .required = true,
     .read = read_box},
    {.name = "steps", .kind = VALUE_LIST, .max = TENSOR_MAX_RANK, .read = read_steps},
    {.name = "swizzle", .kind = VALUE_EXPR, .read = read_swizzle},
    {.name = "fill", .kind = VALUE_WORD, .word = fills, .max = 2, .read = read_fill},
};
// clang-format on
KEY_TABLE(map_table, map_keys);

const MapSpec *map_spec_read(const Reader *in, const Names *names, const Yaml *buffers,
                             const Yaml *map) {
  MapReader m = {in, names, buffers, ARENA_NEW(in->arena, MapSpec)};
  m.out->loc = map->loc;
  m.out->buffer = -1;
  if (!expect_kind(in, map, "a tensor map", YAML_MAP)) return m.out;
  keys_take(in, map, &map_table, map->loc, "the tensor map", &m);
  if (m.out->rank > 1 && !m.out->stride[1])
    diag_error(in->diag, map->loc, "the tensor map needs `strides`, in bytes");
  return m.out;
}
