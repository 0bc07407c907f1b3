#include <string.h>

#include "spec/spec_reader.h"

/* Names that a param cannot take, because expressions have them anyway; those behind d3 only in a
 * family, as a spec's own param hides ours (scope_declare_ours). */
static const char *const taken[] = {"lane", "warp",  "tid",          "tx",    "ty",      "tz",
                                    "d0",   "d1",    "d2",           "d3",    "bx",      "by",
                                    "bz",   "dtype", "shared_bytes", "esize", "threads", "warps"};
enum { TAKEN = sizeof(taken) / sizeof(*taken), TAKEN_ALWAYS = 10 };

bool name_is_taken(const SpecReader *r, const char *name) {
  bool taken_by_us = names_find(&r->global.names, name) >= 0;
  for (int i = 0; i < (r->family ? TAKEN : TAKEN_ALWAYS); i++)
    taken_by_us = taken_by_us || strcmp(name, taken[i]) == 0;
  return taken_by_us;
}

bool is_lane_name(const char *name) {
  bool found = false;
  for (int i = 0; i < SLOT_FIXED; i++) found = found || strcmp(name, taken[i]) == 0;
  return found;
}

/* A param's slot, or -1 with an error. */
static int name_param(SpecReader *r, const Yaml *key) {
  const char *name = read_name(r, key, "param");
  if (!name) return -1;
  if (!name_is_taken(r, name)) return scope_declare(&r->global, name);
  diag_error(r->diag, key->loc, "param '%s' has a name that expressions use already", name);
  return -1;
}

static const Yaml *params_of(SpecReader *r, const Yaml *root) {
  const Yaml *params = yaml_get(root, "params");
  return params && expect_kind(r, params, "params", YAML_MAP) ? params : NULL;
}

void name_params(SpecReader *r) {
  r->own_params = params_of(r, r->spec);
  r->params = r->family ? params_of(r, r->family) : r->own_params;
  for (int i = 0; r->params && i < r->params->count; i++) {
    const Yaml *key = r->params->pair[i].key;
    if (i < MAX_PARAMS) r->param_slot[i] = name_param(r, key);
    if (i == MAX_PARAMS) diag_error(r->diag, key->loc, "more than %d params", MAX_PARAMS);
  }
}

static const Yaml *check_declaration(SpecReader *r, const Yaml *decl, const Yaml *key) {
  static const char *const keys[] = {"default", "values", "min", "max", "about"};
  decl = check_keys(r, decl, keys, sizeof(keys) / sizeof(*keys));
  if (!yaml_get(decl, "default"))
    diag_error(r->diag, key->loc, "param '%s' has no default", key->text);
  return decl;
}

static void declare_limits(SpecReader *r, const Yaml *decl, Item *item) {
  const Yaml *min = yaml_get(decl, "min"), *max = yaml_get(decl, "max");
  const Yaml *values = yaml_get(decl, "values");
  int limit;
  if (min && read_plain(r, min, "min", INT32_MIN, INT32_MAX, &limit)) item->min = limit;
  if (max && read_plain(r, max, "max", INT32_MIN, INT32_MAX, &limit)) item->max = limit;
  if (values && expect_kind(r, values, "values", YAML_LIST)) item->values = values;
}

/* One param: its declaration in the family (NULL for `none`), and what the spec says of it. */
static void defer_param(SpecReader *r, const Yaml *key, const Yaml *decl, const Yaml *own,
                        int slot) {
  const bool full = decl && decl->kind == YAML_MAP;
  if (full) decl = check_declaration(r, decl, key);
  const Yaml *value = own ? own : full ? yaml_get(decl, "default") : decl;
  if (!value || slot < 0) return;
  Item item = {.what = arena_printf(r->arena, "param '%s'", key->text),
               .loc = value->loc,
               .slot = slot,
               .esize = r->global.value[r->esize_slot],
               .min = INT32_MIN,
               .max = INT32_MAX};
  if (full) declare_limits(r, decl, &item);
  item.expr = read_expr(r, value, item.what, &r->global.names);
  scope_defer(r, item);
}

/* A spec cannot set what its family does not declare. Its params, one that is nearly declared under
 * that name. */
static const Yaml *check_known(SpecReader *r, const Yaml *own, const Yaml *declared) {
  const char *names[MAX_PARAMS];
  int count = 0;
  for (int i = 0; declared && i < declared->count && count < MAX_PARAMS; i++)
    names[count++] = declared->pair[i].key->text;
  for (int i = 0; i < own->count; i++) {
    const Yaml *key = own->pair[i].key;
    if (yaml_get(declared, key->text)) continue;
    diag_error(r->diag, key->loc, "unknown param '%s'", key->text);
    const char *near = diag_nearest(key->text, names, count);
    if (near)
      diag_hint(r->diag, "did you mean '%s'?", near);
    else if (count == 0)
      diag_hint(r->diag, "this kernel has no params");
    own = map_rename(r, own, i, near);
  }
  return own;
}

/* The value that is set instead of the spec's, as if it stood in the spec; NULL if none is. */
static const Yaml *set_value(SpecReader *r, const Yaml *key, const Yaml *own) {
  for (int i = 0; i < r->options->settings; i++) {
    const Setting *s = &r->options->setting[i];
    if (strcmp(s->name, key->text) != 0) continue;
    Yaml *out = ARENA_NEW(r->arena, Yaml);
    *out = (Yaml){.kind = YAML_TEXT, .loc = own ? own->loc : key->loc};
    out->inner = out->loc;
    out->text = arena_printf(r->arena, "%d", s->value);
    return out;
  }
  return own;
}

void defer_params(SpecReader *r) {
  const bool family = r->family != NULL;
  if (family && r->own_params) r->own_params = check_known(r, r->own_params, r->params);
  for (int i = 0; r->params && i < r->params->count && i < MAX_PARAMS; i++) {
    const Yaml *key = r->params->pair[i].key, *value = r->params->pair[i].value;
    const Yaml *own = family ? yaml_get(r->own_params, key->text) : value;
    defer_param(r, key, family ? value : NULL, set_value(r, key, own), r->param_slot[i]);
  }
}

void finish_params(SpecReader *r) {
  Param *out = ARENA_ARRAY(r->arena, Param, MAX_PARAMS);
  for (int i = 0; r->params && i < r->params->count && i < MAX_PARAMS; i++) {
    const int slot = r->param_slot[i];
    if (slot < 0) continue;
    out[r->out->params++] = (Param){r->params->pair[i].key->text, r->global.value[slot]};
  }
  r->out->param = out;
}

/* --- what the family requires --- */

/* Where the user can mend it: the first of the spec's own values that the expression reads, or else
 * the kernel's name. */
static Loc culprit(SpecReader *r, const Expr *e) {
  const Names *names = &r->global.names;
  for (int slot = 0; slot < names->count; slot++) {
    if (!value_reads(r, e, slot)) continue;
    const Yaml *own = yaml_get(r->own_params, names->name[slot]);
    if (own) return own->loc;
  }
  for (int t = 0; t < r->tiles; t++)
    for (int i = 0; i < r->tile[t].rank; i++)
      if (r->tile[t].extents->loc.source == r->out->source && value_reads(r, e, r->tile[t].slot[i]))
        return r->tile[t].extents->loc;
  static const char *const root_keys[] = {"block", "dtype", "tile", "kernel"};
  for (int i = 0; i < 4; i++) {
    const Yaml *own = yaml_get(r->spec, root_keys[i]);
    bool read = i > 1 || (i == 1 && value_reads(r, e, r->esize_slot));
    for (int k = 0; k < 5; k++) read = read || (i == 0 && value_reads(r, e, r->block_slot + k));
    if (own && read) return own->loc;
  }
  return r->spec->loc;
}

/* " (d1 = 24, vector = 16)": what the expression reads. */
static const char *readings(SpecReader *r, const Expr *e) {
  Text t = text_new(r->arena);
  const Names *names = &r->global.names;
  for (int slot = 0; slot < names->count; slot++)
    if (expr_uses(e, slot))
      text_printf(&t, "%s%s = %lld", t.len ? ", " : "", names->name[slot],
                  (long long)r->global.value[slot]);
  return t.s;
}

static void check_requirement(SpecReader *r, const Yaml *node) {
  static const char *const keys[] = {"that", "say"};
  if (!expect_kind(r, node, "a requirement", YAML_MAP)) return;
  node = check_keys(r, node, keys, 2);
  const Yaml *that = yaml_get(node, "that"), *say = yaml_get(node, "say");
  if (!that || !say) {
    diag_error(r->diag, node->loc, "a requirement needs 'that' and 'say'");
    return;
  }
  int64_t holds;
  const Expr *e = read_expr(r, that, "that", &r->global.names);
  if (!e || !expect_kind(r, say, "say", YAML_TEXT)) return;
  if (!scope_eval(&r->global, e, r->diag, &holds) || holds) return;
  r->unfit = true;
  diag_error(r->diag, culprit(r, e), "%s", say->text);
  diag_hint(r->diag, "required: %s; here %s", e->text, readings(r, e));
}

void check_requirements(SpecReader *r) {
  const Yaml *list = yaml_get(r->family, "require");
  if (!list || !expect_kind(r, list, "require", YAML_LIST)) return;
  for (int i = 0; i < list->count; i++) check_requirement(r, list->item[i]);
}
