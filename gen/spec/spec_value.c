#include <string.h>

#include "spec/expr_eval.h"
#include "spec/expr_parse.h"
#include "spec/spec_reader.h"

/* "a, b, c", for hints. */
static const char *list_words(SpecReader *r, const char *const *words, int count) {
  Text t = text_new(r->arena);
  for (int i = 0; i < count; i++) text_printf(&t, "%s%s", i ? ", " : "", words[i]);
  return t.s;
}

static void hint_words(SpecReader *r, const char *word, const char *const *words, int count) {
  const char *near = diag_nearest(word, words, count);
  if (near)
    diag_hint(r->diag, "did you mean '%s'?", near);
  else if (count > 0)
    diag_hint(r->diag, "one of: %s", list_words(r, words, count));
}

static bool is_among(const char *word, const char *const *words, int count) {
  for (int i = 0; i < count; i++)
    if (strcmp(word, words[i]) == 0) return true;
  return false;
}

static void unknown_key(SpecReader *r, const Yaml *key, const char *const *keys, int count) {
  diag_error(r->diag, key->loc, "unknown key '%s'", key->text);
  if (strcmp(key->text, "<<") == 0)
    diag_hint(r->diag, "maps are not merged: an alias stands for a whole value");
  else
    hint_words(r, key->text, keys, count);
}

const Yaml *map_rename(SpecReader *r, const Yaml *map, int i, const char *name) {
  if (!name || yaml_get(map, name)) return map;
  Yaml *out = ARENA_NEW(r->arena, Yaml), *key = ARENA_NEW(r->arena, Yaml);
  *out = *map;
  out->pair = ARENA_ARRAY(r->arena, YamlPair, (size_t)map->count);
  memcpy(out->pair, map->pair, (size_t)map->count * sizeof(YamlPair));
  *key = *map->pair[i].key;
  key->text = name;
  out->pair[i].key = key;
  return out;
}

const Yaml *check_keys(SpecReader *r, const Yaml *map, const char *const *keys, int count) {
  for (int i = 0; i < map->count; i++) {
    const Yaml *key = map->pair[i].key;
    if (is_among(key->text, keys, count)) continue;
    unknown_key(r, key, keys, count);
    map = map_rename(r, map, i, diag_nearest(key->text, keys, count));
  }
  return map;
}

bool expect_kind(SpecReader *r, const Yaml *node, const char *what, YamlKind kind) {
  static const char *const word[] = {"text", "a list", "a map"};
  if (node->kind == kind && !yaml_is_null(node)) return true;
  diag_error(r->diag, node->loc, "%s must be %s, not %s", what, word[kind], yaml_kind(node));
  return false;
}

const Yaml *pick(const SpecReader *r, const char *key) {
  const Yaml *own = yaml_get(r->spec, key);
  return own ? own : yaml_get(r->family, key);
}

const Expr *read_expr(SpecReader *r, const Yaml *node, const char *what, const Names *names) {
  if (node->kind == YAML_TEXT && !yaml_is_null(node))
    return expr_parse(r->arena, r->diag, node->inner, node->text, names);
  diag_error(r->diag, node->loc, "%s must be an integer expression, not %s", what, yaml_kind(node));
  if (node->kind == YAML_MAP) diag_hint(r->diag, "quote an expression that contains ': '");
  return NULL;
}

bool check_range(SpecReader *r, Loc loc, const char *what, int64_t v, int64_t min, int64_t max) {
  if (v >= min && v <= max) return true;
  if (min == max)
    diag_error(r->diag, loc, "%s is %lld, but must be %lld", what, (long long)v, (long long)min);
  else
    diag_error(r->diag, loc, "%s is %lld, but must be %lld to %lld", what, (long long)v,
               (long long)min, (long long)max);
  return false;
}

bool read_value(SpecReader *r, const Yaml *node, const char *what, const Scope *scope, int64_t min,
                int64_t max, int64_t *out) {
  int64_t v;
  const Expr *e = read_expr(r, node, what, &scope->names);
  if (!e || !scope_eval(scope, e, r->diag, &v)) return false;
  if (!check_range(r, node->loc, what, v, min, max)) return false;
  *out = v;
  return true;
}

bool read_plain(SpecReader *r, const Yaml *node, const char *what, int min, int max, int *out) {
  static const Names none = {0, {NULL}, NULL};
  int64_t v;
  const Expr *e = read_expr(r, node, what, &none);
  if (!e || !expr_eval(e, NULL, r->diag, &v)) return false;
  if (!check_range(r, node->loc, what, v, min, max)) return false;
  *out = (int)v;
  return true;
}

int read_choice(SpecReader *r, const Yaml *node, const char *what, const char *const *words,
                int count) {
  if (!expect_kind(r, node, what, YAML_TEXT)) return -1;
  for (int i = 0; i < count; i++)
    if (strcmp(node->text, words[i]) == 0) return i;
  diag_error(r->diag, node->loc, "unknown %s '%s'", what, node->text);
  hint_words(r, node->text, words, count);
  return -1;
}

bool read_bool(SpecReader *r, const Yaml *node, const char *what, bool *out) {
  if (!expect_kind(r, node, what, YAML_TEXT)) return false;
  const bool yes = strcmp(node->text, "true") == 0;
  if (!yes && strcmp(node->text, "false") != 0) {
    diag_error(r->diag, node->loc, "%s must be true or false, not '%s'", what, node->text);
    return false;
  }
  *out = yes;
  return true;
}

const char *read_name(SpecReader *r, const Yaml *node, const char *what) {
  if (!expect_kind(r, node, what, YAML_TEXT)) return NULL;
  if (is_identifier(node->text) && !is_reserved(node->text)) return node->text;
  if (is_reserved(node->text))
    diag_error(r->diag, node->loc, "%s '%s' is a reserved word", what, node->text);
  else
    diag_error(r->diag, node->loc, "%s '%s' is not a C identifier of at most %d characters", what,
               node->text, NAME_LIMIT);
  return NULL;
}

const Dtype *read_dtype(SpecReader *r, const Yaml *node) {
  const char **names = ARENA_ARRAY(r->arena, const char *, (size_t)dtype_count);
  for (int i = 0; i < dtype_count; i++) names[i] = dtype_table[i].name;
  const int i = read_choice(r, node, "dtype", names, dtype_count);
  return i < 0 ? NULL : &dtype_table[i];
}
