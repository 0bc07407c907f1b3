/* SPDX-License-Identifier: MIT */
#include "spec/spec_keys.h"

#include <string.h>

enum { MAX_KEYS = 32 };

const char *key_what(const Key *key) { return key->what ? key->what : key->name; }

static bool has_meaning(const Key *key, unsigned form) {
  return !key->forms || (key->forms & form) != 0;
}

/* --- keys --- */

static bool is_among(const char *word, const char *const *words, int count) {
  for (int i = 0; i < count; i++)
    if (strcmp(word, words[i]) == 0) return true;
  return false;
}

/* The map with its i-th key renamed, unless `name` is NULL or already a key of the map. */
static const Yaml *rename_key(const Reader *in, const Yaml *map, int i, const char *name) {
  if (!name || yaml_get(map, name)) return map;
  Yaml *out = ARENA_NEW(in->arena, Yaml), *key = ARENA_NEW(in->arena, Yaml);
  *out = *map;
  out->pair = ARENA_ARRAY(in->arena, YamlPair, (size_t)map->count);
  memcpy(out->pair, map->pair, (size_t)map->count * sizeof(YamlPair));
  *key = *map->pair[i].key;
  key->text = name;
  out->pair[i].key = key;
  return out;
}

/* The first `count` keys are known; the first `offered` of them are named in hints. */
static const Yaml *known(const Reader *in, const Yaml *map, const char *const *keys, int count,
                         int offered, const char *what) {
  for (int i = 0; i < map->count; i++) {
    const Yaml *key = map->pair[i].key;
    if (is_among(key->text, keys, count)) continue;
    diag_error(in->diag, key->loc, "unknown %s '%s'", what, key->text);
    if (strcmp(key->text, "<<") == 0)
      diag_hint(in->diag, "maps are not merged: an alias stands for a whole value");
    else
      hint_words(in, key->text, keys, offered);
    map = rename_key(in, map, i, diag_nearest(key->text, keys, offered));
  }
  return map;
}

const Yaml *map_known(const Reader *in, const Yaml *map, const char *const *keys, int count,
                      const char *what) {
  return known(in, map, keys, count, count, what);
}

const Yaml *keys_known_without(const Reader *in, const Yaml *map, const KeyTable *t,
                               unsigned without) {
  const char *names[MAX_KEYS];
  int offered = 0, count = 0;
  if (t->count > MAX_KEYS) die("a table of %d keys", t->count);
  for (int i = 0; i < t->count; i++)
    if (!(t->key[i].forms & without)) names[offered++] = t->key[i].name;
  count = offered;
  for (int i = 0; i < t->count; i++)
    if (t->key[i].forms & without) names[count++] = t->key[i].name;
  return known(in, map, names, count, offered, "key");
}

const Yaml *keys_known(const Reader *in, const Yaml *map, const KeyTable *t) {
  return keys_known_without(in, map, t, 0);
}

void keys_fit(const Reader *in, const Yaml *map, const KeyTable *t, unsigned forms, unsigned form,
              const char *word) {
  for (int i = 0; i < t->count; i++) {
    const Key *key = &t->key[i];
    const Yaml *node = yaml_key(map, key->name);
    if (!node || !(key->forms & forms) || has_meaning(key, form)) continue;
    diag_error(in->diag, node->loc, key->elsewhere, word);
    if (key->instead) diag_hint(in->diag, "%s", key->instead);
  }
}

void keys_given(const Reader *in, const Yaml *map, const KeyTable *t, unsigned form, Loc loc,
                const char *owner) {
  for (int i = 0; i < t->count; i++) {
    const Key *key = &t->key[i];
    if (!key->required || !has_meaning(key, form) || yaml_get(map, key->name)) continue;
    if (owner)
      diag_error(in->diag, loc, "%s has no '%s'", owner, key->name);
    else
      diag_error(in->diag, loc, "'%s' is missing", key->name);
    if (key->hint) diag_hint(in->diag, "%s", key->hint);
  }
}

/* --- values --- */

/* Returns the value if it is of the row's kind; otherwise reports it and returns NULL. */
static const Yaml *fitting(const Reader *in, const Key *key, const Yaml *value) {
  static const YamlKind kind[] = {
      [VALUE_TEXT] = YAML_TEXT, [VALUE_LIST] = YAML_LIST, [VALUE_MAP] = YAML_MAP};
  if (key->kind < VALUE_TEXT || key->kind > VALUE_MAP) return value;
  if (!expect_kind(in, value, key_what(key), kind[key->kind])) return NULL;
  if (key->max == 0 || value->count <= key->max) return value;
  diag_error(in->diag, value->loc, "%s has %d entries, but can have %d", key_what(key),
             value->count, (int)key->max);
  return NULL;
}

void keys_read(const Reader *in, const Yaml *map, const KeyTable *t, unsigned form, void *to) {
  for (int i = 0; i < t->count; i++) {
    const Key *key = &t->key[i];
    const Yaml *value = yaml_get(map, key->name);
    if (!key->read || !has_meaning(key, form)) continue;
    key->read(to, key, value ? fitting(in, key, value) : NULL);
  }
}

void keys_take(const Reader *in, const Yaml *map, const KeyTable *t, Loc loc, const char *owner,
               void *to) {
  map = keys_known(in, map, t);
  keys_given(in, map, t, 0, loc, owner);
  keys_read(in, map, t, 0, to);
}

bool key_number(const Reader *in, const Key *key, const Yaml *value, int *out) {
  return value && read_plain(in, value, key_what(key), key->min, key->max, out);
}

bool key_bool(const Reader *in, const Key *key, const Yaml *value, bool *out) {
  return value && read_bool(in, value, key_what(key), out);
}

int key_word(const Reader *in, const Key *key, const Yaml *value) {
  return value ? read_choice(in, value, key_what(key), key->word, (int)key->max) : -1;
}

/* --- maps of maps --- */

const Yaml *map_only(const Reader *in, const Yaml *map, const char *name) {
  const Yaml *key = map ? yaml_key(map, name) : NULL;
  if (!key) return NULL;
  Yaml *out = ARENA_NEW(in->arena, Yaml);
  *out = *map;
  out->count = 1;
  out->pair = ARENA_NEW(in->arena, YamlPair);
  *out->pair = (YamlPair){key, yaml_get(map, name)};
  return out;
}

const Yaml *map_merge(const Reader *in, const Yaml *const *maps, int count) {
  Yaml *out = ARENA_NEW(in->arena, Yaml);
  int room = 0;
  for (int m = 0; m < count; m++) room += maps[m] ? maps[m]->count : 0;
  *out = (Yaml){.kind = YAML_MAP, .pair = ARENA_ARRAY(in->arena, YamlPair, (size_t)room + 1)};
  for (int m = 0; m < count; m++)
    for (int i = 0; maps[m] && i < maps[m]->count; i++)
      if (!yaml_get(out, maps[m]->pair[i].key->text)) out->pair[out->count++] = maps[m]->pair[i];
  return out;
}
