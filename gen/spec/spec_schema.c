/* SPDX-License-Identifier: MIT */
#include "spec/spec_schema.h"

#include <stdlib.h>
#include <string.h>

#include "spec/schema_table.h"
#include "spec/spec_family.h"
#include "spec/spec_read.h"
#include "spec/spec_tile.h"

/* --- a spec of `none` --- */

static const KeyTable *access_table_of(void) {
  for (int i = 0; i < spec_table.count; i++)
    if (strcmp(spec_table.key[i].name, "access") == 0) return spec_table.key[i].shape.table;
  die("a spec without accesses");
}

/* "access": {"items": ...}: without the keys that only templates have. */
static void put_alone(Json *j) {
  const KeyTable *t = access_table_of();
  json_object(j, "access");
  json_object(j, "items");
  json_object(j, "properties");
  for (int i = 0; i < t->choices; i++)
    if (t->forms[i].alone) schema_forbid(j, t, t->forms[i].forms, t->forms[i].alone);
  json_ends(j, 3);
}

static void put_alone_many(Json *j) {
  json_object(j, "then");
  json_object(j, "properties");
  schema_forbid(j, &tile_table, FORM_COMMON | FORM_TILE, FORM_MANY);
  json_object(j, "tiles");
  json_object(j, "additionalProperties");
  schema_required(j, &tile_table, FORM_MEMBER);
  json_object(j, "properties");
  put_alone(j);
  json_ends(j, 5);
}

static void put_if_kernel(Json *j, const char *kernel) {
  json_object(j, "if");
  json_object(j, "properties");
  json_line(j, "kernel");
  json_string(j, "const", kernel);
  json_ends(j, 2);
  json_row(j, "required");
  json_string(j, NULL, "kernel");
  json_ends(j, 2);
}

static void put_none(Json *j) {
  json_object(j, NULL);
  put_if_kernel(j, "none");
  json_object(j, "then");
  json_object(j, "properties");
  put_alone(j);
  json_end(j);
  json_line(j, "if");
  json_row(j, "required");
  json_string(j, NULL, "tiles");
  json_ends(j, 2);
  put_alone_many(j);
  json_object(j, "else");
  schema_required(j, &tile_table, FORM_SINGLE);
  json_ends(j, 3);
}

/* --- a spec of a template --- */

static bool is_number(const char *text) {
  char *end = NULL;
  if (text) strtoll(text, &end, 10);
  return text && *text && !*end;
}

/* A plain number must be one of the values; an expression is checked when it is read. */
static void put_values(Json *j, const Yaml *values) {
  json_array(j, "anyOf");
  json_line(j, NULL);
  json_string(j, "type", "string");
  json_end(j);
  json_line(j, NULL);
  json_row(j, "enum");
  for (int i = 0; i < values->count; i++)
    if (values->item[i]->kind == YAML_TEXT && is_number(values->item[i]->text))
      json_int(j, NULL, strtoll(values->item[i]->text, NULL, 10));
  json_ends(j, 3);
}

static void put_param(Json *j, const char *name, const Yaml *declared) {
  const Yaml *values = yaml_get(declared, "values");
  const char *about = yaml_text(declared, "about"), *standard = yaml_text(declared, "default");
  const char *limit[] = {yaml_text(declared, "min"), yaml_text(declared, "max")};
  json_object(j, name);
  if (standard)
    json_string(j, "description",
                arena_printf(j->out->arena, "%s%sdefault %s", about ? about : "", about ? "; " : "",
                             standard));
  schema_types(j, "integer", false);
  for (int i = 0; i < 2; i++)
    if (is_number(limit[i])) json_int(j, i ? "maximum" : "minimum", strtoll(limit[i], NULL, 10));
  if (values && values->kind == YAML_LIST) put_values(j, values);
  json_end(j);
}

static const Yaml *map_at(const Yaml *map, const char *key) {
  const Yaml *value = map && map->kind == YAML_MAP ? yaml_get(map, key) : NULL;
  return value && value->kind == YAML_MAP ? value : NULL;
}

/* The params that set a size; one may set several. */
static void put_old_sizes(Json *j, const Yaml *sizes) {
  for (int i = 0; sizes && i < sizes->count; i++) {
    const char *old = yaml_text(sizes->pair[i].value, "old");
    bool again = !old;
    for (int k = 0; k < i && !again; k++) {
      const char *other = yaml_text(sizes->pair[k].value, "old");
      again = other && strcmp(other, old) == 0;
    }
    if (again) continue;
    json_object(j, old);
    json_string(j, "description",
                arena_printf(j->out->arena, "old: use problem: {%s: }", sizes->pair[i].key->text));
    json_bool(j, "deprecated", true);
    schema_types(j, "integer", false);
    json_end(j);
  }
}

static void put_params(Json *j, const Yaml *family) {
  const Yaml *params = map_at(family, "params"),
             *sizes = map_at(map_at(family, "problem"), "sizes");
  json_object(j, "params");
  json_bool(j, "additionalProperties", false);
  json_object(j, "properties");
  for (int i = 0; params && i < params->count; i++)
    put_param(j, params->pair[i].key->text, params->pair[i].value);
  put_old_sizes(j, sizes);
  json_ends(j, 2);
  json_object(j, "problem");
  json_bool(j, "additionalProperties", false);
  json_object(j, "properties");
  for (int i = 0; sizes && i < sizes->count; i++)
    put_param(j, sizes->pair[i].key->text, sizes->pair[i].value);
  json_ends(j, 2);
}

static void put_family_dtypes(Json *j, const Yaml *family) {
  const Yaml *dtypes = yaml_get(family, "dtypes");
  if (!dtypes || dtypes->kind != YAML_LIST) return;
  json_object(j, "dtype");
  json_row(j, "enum");
  for (int i = 0; i < dtypes->count; i++)
    if (dtypes->item[i]->kind == YAML_TEXT) json_string(j, NULL, dtypes->item[i]->text);
  json_ends(j, 2);
}

/* A template's tiles are set by name, a single one at the root. */
static void put_family_tiles(Json *j, const Yaml *family) {
  const Yaml *tiles = yaml_get(family, "tiles");
  if (!tiles || tiles->kind != YAML_MAP) {
    json_bool(j, "tiles", false);
    return;
  }
  schema_forbid(j, &tile_table, FORM_COMMON | FORM_TILE, FORM_FAMILY_MANY);
  json_object(j, "tiles");
  json_object(j, "propertyNames");
  json_row(j, "enum");
  for (int i = 0; i < tiles->count; i++) json_string(j, NULL, tiles->pair[i].key->text);
  json_ends(j, 2);
  json_object(j, "additionalProperties");
  json_object(j, "properties");
  put_family_dtypes(j, family);
  json_ends(j, 3);
}

static void put_family(Json *j, const char *name, const Yaml *family) {
  json_object(j, NULL);
  put_if_kernel(j, name);
  json_object(j, "then");
  if (yaml_text(family, "about")) json_string(j, "description", yaml_text(family, "about"));
  json_object(j, "properties");
  put_params(j, family);
  put_family_tiles(j, family);
  put_family_dtypes(j, family);
  json_ends(j, 3);
}

/* --- the whole schema --- */

static void put_kernels(Json *j, const char *const *family, int count) {
  json_object(j, NULL);
  json_object(j, "properties");
  json_object(j, "kernel");
  json_row(j, "enum");
  json_string(j, NULL, "none");
  for (int i = 0; i < count; i++) json_string(j, NULL, family[i]);
  json_ends(j, 4);
}

void spec_schema_of(const KeyTable *t, const char *title, Text *out) {
  Json json = json_new(out), *j = &json;
  json_object(j, NULL);
  json_string(j, "$schema", "http://json-schema.org/draft-07/schema#");
  json_string(j, "title", title);
  schema_table(j, t, 0);
  json_end(j);
}

void spec_schema(Arena *a, Templates *templates, Text *out) {
  const char *const *names;
  const int count = templates_kernels(templates, &names);
  Json json = json_new(out), *j = &json;
  json_object(j, NULL);
  json_string(j, "$schema", "http://json-schema.org/draft-07/schema#");
  json_string(j, "title", "a spec of kgen " KGEN_VERSION);
  schema_keys(j, &spec_table);
  schema_required(j, &spec_table, 0);
  json_array(j, "allOf");
  put_kernels(j, names, count);
  put_none(j);
  for (int i = 0; i < count; i++) {
    const Yaml *family = templates_declaration(templates, diag_new(a), names[i]);
    if (family && family->kind == YAML_MAP) put_family(j, names[i], family);
  }
  json_ends(j, 2);
}
