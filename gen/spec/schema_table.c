/* SPDX-License-Identifier: MIT */
#include "spec/schema_table.h"

#include <string.h>

#include "spec/names.h"
#include "spec/spec_read.h"

static const char identifier[] = "^[A-Za-z_][A-Za-z0-9_]*$";

/* --- values --- */

void schema_types(Json *j, const char *number, bool gaps) {
  json_row(j, "type");
  json_string(j, NULL, number);
  json_string(j, NULL, "string");
  if (gaps) json_string(j, NULL, "null");
  json_end(j);
}

static void put_words(Json *j, const char *(*choice)(int i)) {
  json_row(j, "enum");
  for (int i = 0; choice(i); i++) json_string(j, NULL, choice(i));
  json_end(j);
}

/* An expression is text, or a plain number, which can be limited to a range. */
static void put_expr(Json *j, int64_t min, int64_t max, bool gaps) {
  schema_types(j, "integer", gaps);
  if (min > INT64_MIN) json_int(j, "minimum", min);
  if (max < INT64_MAX) json_int(j, "maximum", max);
}

static void put_name(Json *j) {
  json_string(j, "type", "string");
  json_string(j, "pattern", identifier);
  json_int(j, "maxLength", NAME_LIMIT);
}

/* A number with its type: {i32: 5}. */
static void put_typed_number(Json *j) {
  json_object(j, NULL);
  json_string(j, "type", "object");
  json_int(j, "minProperties", 1);
  json_int(j, "maxProperties", 1);
  json_object(j, "propertyNames");
  json_row(j, "enum");
  for (int i = 0; i < dtype_count; i++) json_string(j, NULL, dtype_table[i].name);
  json_ends(j, 2);
  json_object(j, "additionalProperties");
  schema_types(j, "number", false);
  json_ends(j, 2);
}

static void put_value(Json *j, const KeyTable *t) {
  json_array(j, "anyOf");
  json_line(j, NULL);
  json_string(j, "type", "string");
  json_end(j);
  put_typed_number(j);
  json_object(j, NULL);
  schema_table(j, t, 0);
  json_ends(j, 2);
}

static void put_item(Json *j, const char *key, const Shape *s) {
  json_object(j, key);
  if (s->table && s->values)
    put_value(j, s->table);
  else if (s->table)
    schema_table(j, s->table, 0);
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

/* A map has the keys of its table, or names chosen by the user. */
static void put_map(Json *j, const Key *key) {
  const Shape *s = &key->shape;
  const bool names = s->item != VALUE_ANY;
  if (!names && s->table) {
    schema_table(j, s->table, 0);
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
    schema_types(j, "number", false);
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

/* A value may be of one of several kinds. */
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

/* The keys of a tile are described at the root, as for a single tile. */
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

void schema_forbid(Json *j, const KeyTable *t, unsigned forms, unsigned form) {
  for (int i = 0; i < t->count; i++)
    if (t->key[i].forms & forms && !(t->key[i].forms & form)) json_bool(j, t->key[i].name, false);
}

static void put_forbidden(Json *j, const KeyTable *t, unsigned forms, unsigned form) {
  json_object(j, "properties");
  schema_forbid(j, t, forms, form);
  json_end(j);
}

void schema_required(Json *j, const KeyTable *t, unsigned form) {
  json_row(j, "required");
  for (int i = 0; i < t->count; i++)
    if (t->key[i].required && (!t->key[i].forms || t->key[i].forms & form))
      json_string(j, NULL, t->key[i].name);
  json_end(j);
}

/* An op that needs none of the keys must have none of them. */
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
  json_ends(j, 2);
  schema_forbid(j, t, f->forms, 0);
  json_ends(j, 2);
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
  json_ends(j, 2);
}

/* If the key is missing, its first word is the default. */
static void put_one_word(Json *j, const KeyTable *t, const KeyForms *f, const Key *key, int word) {
  json_object(j, NULL);
  json_object(j, "if");
  json_object(j, "properties");
  json_object(j, key->name);
  json_string(j, "const", key->word[word]);
  json_ends(j, 2);
  json_row(j, "required");
  if (word) json_string(j, NULL, key->name);
  json_ends(j, 2);
  json_object(j, "then");
  put_forbidden(j, t, f->forms, f->of_word(word));
  json_ends(j, 2);
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

void schema_keys(Json *j, const KeyTable *t) {
  json_string(j, "type", "object");
  json_bool(j, "additionalProperties", false);
  json_object(j, "properties");
  for (int i = 0; i < t->count; i++) put_key(j, &t->key[i]);
  json_end(j);
}

void schema_table(Json *j, const KeyTable *t, unsigned form) {
  schema_keys(j, t);
  schema_required(j, t, form);
  put_forms(j, t);
}
