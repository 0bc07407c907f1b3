#include "spec/spec_schema.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "spec/names.h"
#include "spec/spec_family.h"
#include "spec/spec_read.h"
#include "spec/spec_tile.h"

static const char identifier[] = "^[A-Za-z_][A-Za-z0-9_]*$";

static void put_table(Json *j, const KeyTable *t, unsigned form);

/* --- values --- */

static void put_types(Json *j, const char *a, const char *b, const char *c) {
  const char *const type[] = {a, b, c};
  json_row(j, "type");
  for (int i = 0; i < 3; i++)
    if (type[i]) json_string(j, NULL, type[i]);
  json_end(j);
}

static void put_words(Json *j, const char *(*choice)(int i)) {
  json_row(j, "enum");
  for (int i = 0; choice(i); i++) json_string(j, NULL, choice(i));
  json_end(j);
}

/* An expression is text, or a plain number, which can be held to a range. */
static void put_expr(Json *j, int64_t min, int64_t max, bool gaps) {
  put_types(j, "integer", "string", gaps ? "null" : NULL);
  if (min > INT64_MIN) json_int(j, "minimum", min);
  if (max < INT64_MAX) json_int(j, "maximum", max);
}

static void put_name(Json *j) {
  json_string(j, "type", "string");
  json_string(j, "pattern", identifier);
  json_int(j, "maxLength", NAME_LIMIT);
}

/* {i32: 5}. */
static void put_typed_number(Json *j) {
  json_object(j, NULL);
  json_string(j, "type", "object");
  json_int(j, "minProperties", 1);
  json_int(j, "maxProperties", 1);
  json_object(j, "propertyNames");
  json_row(j, "enum");
  for (int i = 0; i < dtype_count; i++) json_string(j, NULL, dtype_table[i].name);
  json_end(j);
  json_end(j);
  json_object(j, "additionalProperties");
  put_types(j, "number", "string", NULL);
  json_end(j);
  json_end(j);
}

static void put_value(Json *j, const KeyTable *t) {
  json_array(j, "anyOf");
  json_line(j, NULL);
  json_string(j, "type", "string");
  json_end(j);
  put_typed_number(j);
  json_object(j, NULL);
  put_table(j, t, 0);
  json_end(j);
  json_end(j);
}

static void put_item(Json *j, const char *key, const Shape *s) {
  json_object(j, key);
  if (s->table && s->values)
    put_value(j, s->table);
  else if (s->table)
    put_table(j, s->table, 0);
  else if (s->item == VALUE_EXPR)
    put_expr(j, s->least ? s->least : INT64_MIN, INT64_MAX, s->gaps);
  else if (s->item == VALUE_NAME)
    put_name(j);
  json_end(j);
}

static void put_list(Json *j, const Key *key) {
  const Shape *s = &key->shape;
  const int most = s->most ? s->most : (int)key->max;
  json_string(j, "type", "array");
  if (s->fewest) json_int(j, "minItems", s->fewest);
  if (most) json_int(j, "maxItems", most);
  put_item(j, "items", s);
}

/* A map of the table's own keys, or one of names. */
static void put_map(Json *j, const Key *key) {
  const Shape *s = &key->shape;
  const bool names = s->item != VALUE_ANY;
  if (!names && s->table) {
    put_table(j, s->table, 0);
    return;
  }
  json_string(j, "type", "object");
  if (s->fewest) json_int(j, "minProperties", s->fewest);
  if (s->most) json_int(j, "maxProperties", s->most);
  if (!names) return;
  json_object(j, "propertyNames");
  put_name(j);
  json_end(j);
  put_item(j, "additionalProperties", s);
}

static void put_text(Json *j, const Key *key) {
  json_string(j, "type", "string");
  if (key->shape.choice) put_words(j, key->shape.choice);
  if (key->shape.regex) json_string(j, "pattern", key->shape.regex(j->out->arena));
}

static void put_kind(Json *j, const Key *key, ValueKind kind) {
  const bool any = key->min == 0 && key->max == 0;
  switch (kind) {
  case VALUE_EXPR:
  case VALUE_NUMBER:
    put_expr(j, any ? INT64_MIN : key->min, any ? INT64_MAX : key->max, false);
    break;
  case VALUE_NAME: put_name(j); break;
  case VALUE_TEXT: put_text(j, key); break;
  case VALUE_LIST: put_list(j, key); break;
  case VALUE_MAP: put_map(j, key); break;
  case VALUE_BOOL: json_string(j, "type", "boolean"); break;
  case VALUE_REAL:
    put_types(j, "number", "string", NULL);
    json_int(j, "exclusiveMinimum", 0);
    break;
  case VALUE_WORD:
    json_row(j, "enum");
    for (int i = 0; i < key->max; i++) json_string(j, NULL, key->word[i]);
    json_end(j);
    break;
  default: break;
  }
}

/* Where one of several kinds may stand. */
static void put_kinds(Json *j, const Key *key) {
  json_array(j, "anyOf");
  for (int kind = 0; kind <= VALUE_REAL; kind++) {
    if (!(key->shape.kinds & 1U << kind)) continue;
    json_object(j, NULL);
    put_kind(j, key, (ValueKind)kind);
    json_end(j);
  }
  json_end(j);
}

/* What a tile has is described at the root, where that of a single one stands. */
static const Key *described(const Key *key) {
  for (int i = 0; !key->about && i < spec_table.count; i++)
    if (strcmp(spec_table.key[i].name, key->name) == 0) return &spec_table.key[i];
  return key;
}

static void put_key(Json *j, const Key *key) {
  key = described(key);
  json_object(j, key->name);
  if (key->about) json_string(j, "description", key->about);
  if (key->shape.kinds)
    put_kinds(j, key);
  else
    put_kind(j, key, key->kind);
  json_end(j);
}

/* --- forms --- */

/* "KEY": false of each key that has a meaning in others of `forms` but not in `form`. */
static void forbid(Json *j, const KeyTable *t, unsigned forms, unsigned form) {
  for (int i = 0; i < t->count; i++)
    if (t->key[i].forms & forms && !(t->key[i].forms & form)) json_bool(j, t->key[i].name, false);
}

static void put_forbidden(Json *j, const KeyTable *t, unsigned forms, unsigned form) {
  json_object(j, "properties");
  forbid(j, t, forms, form);
  json_end(j);
}

/* One form: the one whose first key is there, or the keys that it requires. */
static void put_required(Json *j, const KeyTable *t, unsigned form) {
  json_row(j, "required");
  for (int i = 0; i < t->count; i++)
    if (t->key[i].required && (!t->key[i].forms || t->key[i].forms & form))
      json_string(j, NULL, t->key[i].name);
  json_end(j);
}

/* None of the keys, where the op says so. */
static void put_lacking(Json *j, const KeyTable *t, const KeyForms *f) {
  json_object(j, NULL);
  json_row(j, "required");
  json_string(j, NULL, "op");
  json_end(j);
  json_object(j, "properties");
  json_object(j, "op");
  json_row(j, "enum");
  for (int i = 0; f->lacking(i); i++)
    if (*f->lacking(i)) json_string(j, NULL, f->lacking(i));
  json_end(j);
  json_end(j);
  forbid(j, t, f->forms, 0);
  json_end(j);
  json_end(j);
}

static void put_by_key(Json *j, const KeyTable *t, const KeyForms *f) {
  unsigned form = f->forms & -f->forms;
  json_object(j, NULL);
  json_array(j, "oneOf");
  for (int i = 0; form & f->forms; i++, form <<= 1) {
    json_object(j, NULL);
    json_row(j, "required");
    json_string(j, NULL, f->by_key[i]);
    json_end(j);
    put_forbidden(j, t, f->forms, form);
    json_end(j);
  }
  if (f->lacking) put_lacking(j, t, f);
  json_end(j);
  json_end(j);
}

/* Without the key it is the first word that counts. */
static void put_one_word(Json *j, const KeyTable *t, const KeyForms *f, const Key *key, int word) {
  json_object(j, NULL);
  json_object(j, "if");
  json_object(j, "properties");
  json_object(j, key->name);
  json_string(j, "const", key->word[word]);
  json_end(j);
  json_end(j);
  json_row(j, "required");
  if (word) json_string(j, NULL, key->name);
  json_end(j);
  json_end(j);
  json_object(j, "then");
  put_forbidden(j, t, f->forms, f->of_word(word));
  json_end(j);
  json_end(j);
}

static void put_by_word(Json *j, const KeyTable *t, const KeyForms *f) {
  for (int i = 0; i < t->count; i++)
    for (int w = 0; strcmp(t->key[i].name, f->by_word) == 0 && w < t->key[i].max; w++)
      put_one_word(j, t, f, &t->key[i], w);
}

static void put_forms(Json *j, const KeyTable *t) {
  if (!t->choices) return;
  json_array(j, "allOf");
  for (int i = 0; i < t->choices; i++) {
    if (t->forms[i].by_key) put_by_key(j, t, &t->forms[i]);
    if (t->forms[i].by_word) put_by_word(j, t, &t->forms[i]);
  }
  json_end(j);
}

/* --- mappings --- */

static void put_keys(Json *j, const KeyTable *t) {
  json_string(j, "type", "object");
  json_bool(j, "additionalProperties", false);
  json_object(j, "properties");
  for (int i = 0; i < t->count; i++) put_key(j, &t->key[i]);
  json_end(j);
}

/* form: of the keys that are required. */
static void put_table(Json *j, const KeyTable *t, unsigned form) {
  put_keys(j, t);
  put_required(j, t, form);
  put_forms(j, t);
}

/* --- a spec of `none` --- */

static const KeyTable *access_table_of(void) {
  for (int i = 0; i < spec_table.count; i++)
    if (strcmp(spec_table.key[i].name, "access") == 0) return spec_table.key[i].shape.table;
  die("a spec without accesses");
}

/* "access": {"items": ...}: what only families have. */
static void put_alone(Json *j) {
  const KeyTable *t = access_table_of();
  json_object(j, "access");
  json_object(j, "items");
  json_object(j, "properties");
  for (int i = 0; i < t->choices; i++)
    if (t->forms[i].alone) forbid(j, t, t->forms[i].forms, t->forms[i].alone);
  json_end(j);
  json_end(j);
  json_end(j);
}

static void put_alone_many(Json *j) {
  json_object(j, "then");
  json_object(j, "properties");
  forbid(j, &tile_table, FORM_COMMON | FORM_TILE, FORM_MANY);
  json_object(j, "tiles");
  json_object(j, "additionalProperties");
  put_required(j, &tile_table, FORM_MEMBER);
  json_object(j, "properties");
  put_alone(j);
  json_end(j);
  json_end(j);
  json_end(j);
  json_end(j);
  json_end(j);
}

static void put_if_kernel(Json *j, const char *kernel) {
  json_object(j, "if");
  json_object(j, "properties");
  json_line(j, "kernel");
  json_string(j, "const", kernel);
  json_end(j);
  json_end(j);
  json_row(j, "required");
  json_string(j, NULL, "kernel");
  json_end(j);
  json_end(j);
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
  json_end(j);
  json_end(j);
  put_alone_many(j);
  json_object(j, "else");
  put_required(j, &tile_table, FORM_SINGLE);
  json_end(j);
  json_end(j);
  json_end(j);
}

/* --- a spec of a family --- */

static bool is_number(const char *text) {
  char *end = NULL;
  if (text) strtoll(text, &end, 10);
  return text && *text && !*end;
}

/* A plain number is one of the values; an expression is checked when it is read. */
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
  json_end(j);
  json_end(j);
  json_end(j);
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
  put_types(j, "integer", "string", NULL);
  for (int i = 0; i < 2; i++)
    if (is_number(limit[i])) json_int(j, i ? "maximum" : "minimum", strtoll(limit[i], NULL, 10));
  if (values && values->kind == YAML_LIST) put_values(j, values);
  json_end(j);
}

static void put_params(Json *j, const Yaml *family) {
  const Yaml *params = yaml_get(family, "params");
  json_object(j, "params");
  json_bool(j, "additionalProperties", false);
  json_object(j, "properties");
  for (int i = 0; params && params->kind == YAML_MAP && i < params->count; i++)
    put_param(j, params->pair[i].key->text, params->pair[i].value);
  json_end(j);
  json_end(j);
}

static void put_family_dtypes(Json *j, const Yaml *family) {
  const Yaml *dtypes = yaml_get(family, "dtypes");
  if (!dtypes || dtypes->kind != YAML_LIST) return;
  json_object(j, "dtype");
  json_row(j, "enum");
  for (int i = 0; i < dtypes->count; i++)
    if (dtypes->item[i]->kind == YAML_TEXT) json_string(j, NULL, dtypes->item[i]->text);
  json_end(j);
  json_end(j);
}

/* A family's tiles are set by their names, its only one at the root. */
static void put_family_tiles(Json *j, const Yaml *family) {
  const Yaml *tiles = yaml_get(family, "tiles");
  if (!tiles || tiles->kind != YAML_MAP) {
    json_bool(j, "tiles", false);
    return;
  }
  forbid(j, &tile_table, FORM_COMMON | FORM_TILE, FORM_FAMILY_MANY);
  json_object(j, "tiles");
  json_object(j, "propertyNames");
  json_row(j, "enum");
  for (int i = 0; i < tiles->count; i++) json_string(j, NULL, tiles->pair[i].key->text);
  json_end(j);
  json_end(j);
  json_object(j, "additionalProperties");
  json_object(j, "properties");
  put_family_dtypes(j, family);
  json_end(j);
  json_end(j);
  json_end(j);
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
  json_end(j);
  json_end(j);
  json_end(j);
}

/* --- all of it --- */

static void put_kernels(Json *j, const char *const *family, int count) {
  json_object(j, NULL);
  json_object(j, "properties");
  json_object(j, "kernel");
  json_row(j, "enum");
  json_string(j, NULL, "none");
  for (int i = 0; i < count; i++) json_string(j, NULL, family[i]);
  json_end(j);
  json_end(j);
  json_end(j);
  json_end(j);
}

void spec_schema_of(const KeyTable *t, const char *title, Text *out) {
  Json json = json_new(out), *j = &json;
  json_object(j, NULL);
  json_string(j, "$schema", "http://json-schema.org/draft-07/schema#");
  json_string(j, "title", title);
  put_table(j, t, 0);
  json_end(j);
}

void spec_schema(Arena *a, const char *template_dir, Text *out) {
  const char *names[MAX_FAMILIES];
  const int count = family_names(a, template_dir, names);
  Json json = json_new(out), *j = &json;
  json_object(j, NULL);
  json_string(j, "$schema", "http://json-schema.org/draft-07/schema#");
  json_string(j, "title", "a spec of kgen " KGEN_VERSION);
  put_keys(j, &spec_table);
  put_required(j, &spec_table, 0);
  json_array(j, "allOf");
  put_kernels(j, names, count);
  put_none(j);
  for (int i = 0; i < count; i++) {
    const char *path = arena_printf(a, "%s/%s.yaml", template_dir, names[i]);
    const Yaml *family = yaml_read(a, diag_new(a), path, NULL);
    if (family && family->kind == YAML_MAP) put_family(j, names[i], family);
  }
  json_end(j);
  json_end(j);
}
