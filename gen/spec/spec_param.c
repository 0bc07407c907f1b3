/* SPDX-License-Identifier: MIT */
#include "spec/spec_param.h"

#include <inttypes.h>
#include <string.h>

#include "spec/spec_keys.h"
#include "spec/spec_names.h"
#include "spec/spec_override.h"

/* --- a template's declaration of a param --- */

typedef struct {
  SpecReader *r;
  Definition definition;
  const char *old; /* a size's former param, or NULL */
} Declaration;

static void read_default(void *to, const Key *key, const Yaml *value) {
  Declaration *d = to;
  (void)key;
  d->definition.node = value;
}

static void read_values(void *to, const Key *key, const Yaml *value) {
  Declaration *d = to;
  (void)key;
  d->definition.values = value;
}

static void read_min(void *to, const Key *key, const Yaml *value) {
  Declaration *d = to;
  int limit;
  if (key_number(&d->r->in, key, value, &limit)) d->definition.min = limit;
}

static void read_max(void *to, const Key *key, const Yaml *value) {
  Declaration *d = to;
  int limit;
  if (key_number(&d->r->in, key, value, &limit)) d->definition.max = limit;
}

// clang-format off
static const Key param_keys[] = {
    {.name = "default", .kind = VALUE_EXPR, .required = true, .read = read_default},
    {.name = "values", .kind = VALUE_LIST, .read = read_values},
    {.name = "min", .kind = VALUE_NUMBER, .min = INT32_MIN, .max = INT32_MAX, .read = read_min},
    {.name = "max", .kind = VALUE_NUMBER, .min = INT32_MIN, .max = INT32_MAX, .read = read_max},
    {.name = "about", .kind = VALUE_PROSE},
};
// clang-format on
KEY_TABLE(param_table, param_keys);

static void read_old(void *to, const Key *key, const Yaml *value) {
  Declaration *d = to;
  (void)key;
  if (value) d->old = value->text;
}

// clang-format off
static const Key size_keys[] = {
    {.name = "default", .kind = VALUE_EXPR, .required = true, .read = read_default},
    {.name = "min", .kind = VALUE_NUMBER, .min = 1, .max = INT32_MAX, .required = true,
     .read = read_min},
    {.name = "max", .kind = VALUE_NUMBER, .min = 1, .max = INT32_MAX, .required = true,
     .read = read_max},
    {.name = "old", .kind = VALUE_TEXT, .read = read_old},
    {.name = "about", .kind = VALUE_PROSE},
};
// clang-format on
KEY_TABLE(size_table, size_keys);

static const Yaml *map_at(const Yaml *map, const char *key) {
  const Yaml *value = map && map->kind == YAML_MAP ? yaml_get(map, key) : NULL;
  return value && value->kind == YAML_MAP ? value : NULL;
}

static const Yaml *declared_sizes(const SpecReader *r) {
  return map_at(map_at(r->family, "problem"), "sizes");
}

bool param_is_size(const SpecReader *r, const char *name) {
  const Yaml *sizes = declared_sizes(r);
  for (int i = 0; sizes && i < sizes->count; i++) {
    const Yaml *size = sizes->pair[i].value;
    const char *old = size->kind == YAML_MAP ? yaml_text(size, "old") : NULL;
    if (old && strcmp(old, name) == 0) return true;
  }
  return false;
}

/* --- all params --- */

static const Yaml *params_of(SpecReader *r, const Yaml *root) {
  const Yaml *params = yaml_get(root, "params");
  return params && expect_kind(&r->in, params, "params", YAML_MAP) ? params : NULL;
}

/* The spec's own params; a misspelled name counts as the declared one, since a spec can only set
 * declared params. */
static const Yaml *known_params(SpecReader *r, const Yaml *own, const Yaml *declared) {
  const char *names[MAX_PARAMS + MAX_SIZES] = {NULL};
  int count = 0;
  for (; declared && count < declared->count; count++)
    names[count] = declared->pair[count].key->text;
  const int params = count;
  for (int i = 0; i < own->count && count < params + MAX_SIZES; i++)
    if (param_is_size(r, own->pair[i].key->text)) names[count++] = own->pair[i].key->text;
  own = map_known(&r->in, own, names, count, "param");
  if (count == 0 && own->count) diag_hint(r->in.diag, "this kernel has no params");
  return own;
}

/* decl: the template's declaration, a map or only a default; NULL for `none`. */
static Definition define_param(SpecReader *r, const Yaml *key, const Yaml *decl, const Yaml *own) {
  const char *what = arena_printf(r->in.arena, "param '%s'", key->text);
  Declaration d = {.r = r};
  d.definition = (Definition){
      .what = what, .node = decl, .esize = first_esize(r), .min = INT32_MIN, .max = INT32_MAX};
  if (decl && decl->kind == YAML_MAP) keys_take(&r->in, decl, &param_table, key->loc, what, &d);
  if (own) d.definition.node = own;
  if (d.definition.node) d.definition.loc = d.definition.node->loc;
  return d.definition;
}

static void declare_param(SpecReader *r, const Yaml *key, const Yaml *decl, const Yaml *own) {
  const Yaml *set = override_value(r, key->text, own != NULL, own ? own->loc : key->loc);
  const Definition d = define_param(r, key, decl, set ? set : own);
  const char *name = read_name(&r->in, key, "param");
  if (!name) return;
  if (name_is_taken(r, name))
    diag_error(r->in.diag, key->loc, "param '%s' has a name that expressions use already", name);
  else
    scope_define(&r->scope, scope_declare(&r->scope, name), d);
}

void declare_params(SpecReader *r) {
  const Yaml *own = params_of(r, r->spec), *declared = params_of(r, r->family);
  if (r->family && own) own = known_params(r, own, declared);
  const Yaml *all = r->family ? declared : own;
  r->own_params = own;
  for (int i = 0; all && i < all->count; i++) {
    const Yaml *key = all->pair[i].key, *value = all->pair[i].value;
    declare_param(r, key, r->family ? value : NULL, r->family ? yaml_get(own, key->text) : value);
  }
  r->params = all;
}

/* --- sizes --- */

static const Param *size_of_options(const SpecReader *r, const char *name) {
  for (int i = 0; i < r->options->sizes; i++)
    if (strcmp(r->options->size[i].name, name) == 0) return &r->options->size[i];
  return NULL;
}

/* The value of a size from outside the template; NULL: its default. */
static const Yaml *size_value(SpecReader *r, const Yaml *key, const char *old, SizeSpec *out) {
  const Yaml *own = yaml_get(map_at(r->spec, "problem"), key->text);
  const Yaml *by_old = old ? yaml_get(r->own_params, old) : NULL;
  const Param *given = size_of_options(r, key->text);
  const Yaml *set = override_value(r, key->text, own != NULL, key->loc);
  if (!set && old) set = override_value(r, old, by_old != NULL, key->loc);
  if (by_old) *out = (SizeSpec){.by_old = true, .loc = by_old->loc};
  if (own && by_old)
    diag_error(r->in.diag, by_old->loc, "param '%s' sets '%s', which the spec's problem sets, too",
               old, key->text);
  if (given) {
    Yaml *node = ARENA_NEW(r->in.arena, Yaml);
    const char *text = arena_printf(r->in.arena, "%" PRId64, given->value);
    *node = (Yaml){.kind = YAML_TEXT, .loc = key->loc, .inner = key->loc, .text = text};
    set = node;
  }
  return set ? set : own ? own : by_old;
}

static void declare_size(SpecReader *r, const Yaml *key, const Yaml *decl, SizeSpec *out) {
  Declaration d = {.r = r};
  d.definition = (Definition){.what = arena_printf(r->in.arena, "size '%s'", key->text),
                              .esize = first_esize(r),
                              .min = 1,
                              .max = INT32_MAX};
  if (!read_name(&r->in, key, "size") || !expect_kind(&r->in, decl, d.definition.what, YAML_MAP))
    return;
  keys_take(&r->in, decl, &size_table, key->loc, d.definition.what, &d);
  const Yaml *set = size_value(r, key, d.old, out);
  if (set) d.definition.node = set;
  if (d.definition.node) d.definition.loc = d.definition.node->loc;
  out->name = key->text;
  out->old = d.old;
  const char *name = arena_printf(r->in.arena, "timed_%s", key->text);
  if (name_is_taken(r, name))
    diag_error(r->in.diag, key->loc, "size '%s' needs the name '%s', which is in use", key->text,
               name);
  else
    scope_define(&r->scope, scope_declare(&r->scope, name), d.definition);
}

/* Reports the sizes of the spec's problem that the template lacks. */
static void check_own_sizes(SpecReader *r, const Yaml *declared) {
  const Yaml *own = yaml_get(r->spec, "problem");
  const char *names[MAX_SIZES] = {NULL};
  int count = 0;
  if (!own || !expect_kind(&r->in, own, "problem", YAML_MAP)) return;
  for (; declared && count < declared->count && count < MAX_SIZES; count++)
    names[count] = declared->pair[count].key->text;
  map_known(&r->in, own, names, count, "size");
  if (!count && own->count) diag_hint(r->in.diag, "this kernel has no sizes");
}

void declare_sizes(SpecReader *r) {
  const Yaml *declared = declared_sizes(r);
  SizeSpec *size = ARENA_ARRAY(r->in.arena, SizeSpec, MAX_SIZES);
  if (r->blind) return;
  check_own_sizes(r, declared);
  for (int i = 0; declared && i < declared->count; i++) {
    if (i == MAX_SIZES)
      diag_error(r->in.diag, declared->pair[i].key->loc, "more than %d sizes", MAX_SIZES);
    if (i == MAX_SIZES) break;
    declare_size(r, declared->pair[i].key, declared->pair[i].value, &size[r->out->sizes]);
    r->out->sizes += size[r->out->sizes].name != NULL;
  }
  r->out->size = size;
}

void spec_report_old_sizes(const Spec *s, Text *out) {
  for (int i = 0; i < s->sizes; i++) {
    const SizeSpec *first = &s->size[i];
    bool again = !first->by_old;
    for (int k = 0; k < i && !again; k++)
      again = s->size[k].by_old && strcmp(s->size[k].old, first->old) == 0;
    if (again) continue;
    text_printf(out, "kgen: %s: note: param '%s' is old: write problem: {", s->name, first->old);
    for (int k = i; k < s->sizes; k++)
      if (s->size[k].by_old && strcmp(s->size[k].old, first->old) == 0)
        text_printf(out, "%s%s: %" PRId64, k > i ? ", " : "", s->size[k].name, s->size[k].value);
    text_puts(out, "}\n");
  }
}

void read_sizes(SpecReader *r) {
  SizeSpec *size = ARENA_ARRAY(r->in.arena, SizeSpec, MAX_SIZES);
  for (int i = 0; i < r->out->sizes; i++) {
    size[i] = r->out->size[i];
    const int slot =
        names_find(&r->scope.names, arena_printf(r->in.arena, "timed_%s", size[i].name));
    if (slot >= 0 && scope_knows(&r->scope, slot)) size[i].value = r->scope.value[slot];
  }
  r->out->size = size;
}

void read_params(SpecReader *r) {
  Param *out = ARENA_ARRAY(r->in.arena, Param, MAX_PARAMS);
  for (int i = 0; r->params && i < r->params->count; i++) {
    const int slot = names_find(&r->scope.names, r->params->pair[i].key->text);
    if (slot >= 0 && scope_knows(&r->scope, slot))
      out[r->out->params++] = (Param){r->scope.names.name[slot], r->scope.value[slot]};
  }
  r->out->param = out;
}
