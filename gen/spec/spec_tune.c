/* SPDX-License-Identifier: MIT */
#include "spec/spec_tune.h"

#include <inttypes.h>
#include <string.h>

#include "spec/expr_parse.h"
#include "spec/spec_keys.h"

typedef struct {
  SpecReader *r;
  TuneAxis *axis; /* the axis being read */
  TuneAxis *all;
} TuneReader;

/* --- values: an expression, a range, or a list of these --- */

/* False if there are too many. */
static bool add_value(const Reader *in, TuneAxis *x, const Yaml *node, const char *text) {
  if (x->values == MAX_AXIS_VALUES) {
    diag_error(in->diag, node->loc, "more than %d values of '%s'", MAX_AXIS_VALUES, x->name);
    return false;
  }
  x->value = arena_grow(in->arena, x->value, x->values, &x->capacity, sizeof *x->value);
  x->value[x->values++] = text;
  return true;
}

/* A number of a range, evaluated with the spec's values. */
static bool read_limit(TuneReader *t, const Yaml *node, const char *from, size_t n, int64_t *out) {
  const Reader *in = &t->r->in;
  const char *text = arena_strndup(in->arena, from, n);
  const Expr *e = expr_parse(in->arena, in->diag, node->loc, text, &t->r->scope.names);
  return e && scope_eval(&t->r->scope, e, out);
}

typedef struct {
  int64_t first, last, step;
  bool times; /* the step is a factor */
} Range;

/* A..B, A..B by STEP, A..B times FACTOR */
static bool read_range(TuneReader *t, const Yaml *node, Range *out) {
  static const char by[] = " by ", times[] = " times ";
  const char *text = node->text, *dots = strstr(text, ".."), *last = dots + 2;
  const char *word = strstr(last, by), *factor = strstr(last, times);
  const char *end = word ? word : factor ? factor : text + strlen(text);
  const char *step = word ? word + sizeof by - 1 : factor ? factor + sizeof times - 1 : "1";
  *out = (Range){.times = !word && factor};
  if (!read_limit(t, node, text, (size_t)(dots - text), &out->first) ||
      !read_limit(t, node, last, (size_t)(end - last), &out->last) ||
      !read_limit(t, node, step, strlen(step), &out->step))
    return false;
  if (out->first <= out->last && out->step >= 1 + out->times && out->first >= out->times)
    return true;
  diag_error(t->r->in.diag, node->loc,
             "a range goes upwards: A..B, A..B by STEP, or with A above 0 "
             "A..B times FACTOR");
  return false;
}

/* False at the end of the range. */
static bool next_of_range(const Range *r, int64_t *v) {
  const bool beyond =
      r->times ? __builtin_mul_overflow(*v, r->step, v) : __builtin_add_overflow(*v, r->step, v);
  return !beyond && *v <= r->last;
}

static void add_range(TuneReader *t, const Yaml *node) {
  const Reader *in = &t->r->in;
  Range range;
  if (!read_range(t, node, &range)) return;
  int64_t v = range.first;
  while (add_value(in, t->axis, node, arena_printf(in->arena, "%" PRId64, v)) &&
         next_of_range(&range, &v))
    continue;
}

static void add_values(TuneReader *t, const Yaml *node) {
  const Reader *in = &t->r->in;
  for (int i = 0; i < yaml_items(node); i++) add_values(t, node->item[i]);
  if (node->kind == YAML_LIST && node->count == 0)
    diag_error(in->diag, node->loc, "'%s' has no values", t->axis->name);
  if (node->kind == YAML_LIST || !expect_kind(in, node, t->axis->name, YAML_TEXT)) return;
  if (strstr(node->text, ".."))
    add_range(t, node);
  else if (read_expr(in, node, t->axis->name, &t->r->scope.names))
    add_value(in, t->axis, node, node->text);
}

/* --- axes --- */

static void add_axis(TuneReader *t, const char *name, bool given, const Yaml *node) {
  Spec *s = t->r->out;
  if (s->axes == MAX_AXES) {
    diag_error(t->r->in.diag, node->loc, "more than %d things to tune", MAX_AXES);
    return;
  }
  t->axis = &t->all[s->axes++];
  *t->axis = (TuneAxis){.name = name, .given = given};
  add_values(t, node);
}

static void read_axes_of_params(void *to, const Key *key, const Yaml *map) {
  TuneReader *t = to;
  const Yaml *declared = t->r->params;
  const char *names[MAX_PARAMS];
  int count = 0;
  (void)key;
  for (; declared && count < declared->count; count++)
    names[count] = declared->pair[count].key->text;
  if (map) map = map_known(&t->r->in, map, names, count, "param");
  for (int i = 0; map && i < map->count; i++) {
    const char *name = map->pair[i].key->text;
    add_axis(t, name, yaml_get(t->r->own_params, name) != NULL, map->pair[i].value);
  }
}

/* One entry per dimension. If the spec sets the key, dimensions that are not listed have the
 * template's own value, so that the whole key can be ignored. */
static void add_axes(TuneReader *t, const Key *key, const Yaml *list, const char *const *name,
                     int count) {
  static const Yaml one = {.kind = YAML_TEXT, .text = "1"};
  const bool given = yaml_get(t->r->spec, key->name) != NULL;
  const Yaml *declared = yaml_get(t->r->family, key->name);
  for (int i = 0; i < count && (i < list->count || given); i++)
    add_axis(t, name[i], given,
             i < list->count                   ? list->item[i]
             : declared && i < declared->count ? declared->item[i]
                                               : &one);
  if (list->count > count)
    diag_error(t->r->in.diag, list->item[count]->loc, "there are only %d dimensions", count);
}

static void read_axes_of_tile(void *to, const Key *key, const Yaml *list) {
  TuneReader *t = to;
  const TileNodes *tile = &t->r->tile[0];
  const char *name[KGEN_MAX_RANK];
  if (list && t->r->out->many)
    diag_error(t->r->in.diag, list->loc,
               "with several tiles, tune the params that set their extents");
  if (!list || t->r->out->many || !tile->rank) return; /* no rank: the spec's tile is wrong */
  for (int i = 0; i < tile->rank; i++) name[i] = t->r->scope.names.name[tile->slot[i]];
  add_axes(t, key, list, name, tile->rank);
}

static void read_axes_of_block(void *to, const Key *key, const Yaml *list) {
  TuneReader *t = to;
  if (list) add_axes(t, key, list, &t->r->scope.names.name[t->r->block_slot], 3);
}

/* A name alone is short for the param with that name. */
static void read_axis_of_stages(void *to, const Key *key, const Yaml *value) {
  TuneReader *t = to;
  if (!value) return;
  if (yaml_get(t->r->params, key->name))
    add_axis(t, key->name, yaml_get(t->r->own_params, key->name) != NULL, value);
  else
    diag_error(t->r->in.diag, value->loc, "the family has no param 'stages'");
}

// clang-format off
static const Key tune_keys[] = {
    {.name = "params", .kind = VALUE_MAP, .read = read_axes_of_params},
    {.name = "stages", .read = read_axis_of_stages},
    {.name = "tile", .kind = VALUE_LIST, .max = KGEN_MAX_RANK, .read = read_axes_of_tile},
    {.name = "block", .kind = VALUE_LIST, .max = 3, .read = read_axes_of_block},
};
// clang-format on
KEY_TABLE(tune_table, tune_keys);

void read_tune(SpecReader *r) {
  const Yaml *map = yaml_get(r->family, "tune");
  if (!map || !expect_kind(&r->in, map, "tune", YAML_MAP)) return;
  TuneReader t = {r, NULL, ARENA_ARRAY(r->in.arena, TuneAxis, MAX_AXES)};
  r->out->axis = t.all;
  keys_take(&r->in, map, &tune_table, map->loc, "tune", &t);
}

/* --- values in the spec --- */

static const char *const block_name[3] = {"bx", "by", "bz"};

int64_t tune_value(const Spec *s, const TuneAxis *axis) {
  for (int i = 0; i < s->params; i++)
    if (strcmp(s->param[i].name, axis->name) == 0) return s->param[i].value;
  for (int i = 0; i < 3; i++)
    if (strcmp(block_name[i], axis->name) == 0) return s->block[i];
  return s->tile[0].tile.extent[axis->name[1] - '0'];
}
