#include "spec/spec_param.h"

#include <string.h>

#include "spec/spec_keys.h"
#include "spec/spec_names.h"
#include "spec/spec_override.h"

/* --- a template's declaration of a param --- */

typedef struct {
  SpecReader *r;
  Definition definition;
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

/* --- all params --- */

static const Yaml *params_of(SpecReader *r, const Yaml *root) {
  const Yaml *params = yaml_get(root, "params");
  return params && expect_kind(&r->in, params, "params", YAML_MAP) ? params : NULL;
}

/* The spec's own params; a misspelled name counts as the declared one, since a spec can only set
 * declared params. */
static const Yaml *known_params(SpecReader *r, const Yaml *own, const Yaml *declared) {
  const char *names[MAX_PARAMS];
  int count = 0;
  for (; declared && count < declared->count; count++)
    names[count] = declared->pair[count].key->text;
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

void read_params(SpecReader *r) {
  Param *out = ARENA_ARRAY(r->in.arena, Param, MAX_PARAMS);
  for (int i = 0; r->params && i < r->params->count; i++) {
    const int slot = names_find(&r->scope.names, r->params->pair[i].key->text);
    if (slot >= 0 && scope_knows(&r->scope, slot))
      out[r->out->params++] = (Param){r->scope.names.name[slot], r->scope.value[slot]};
  }
  r->out->param = out;
}
