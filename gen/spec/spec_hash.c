/* SPDX-License-Identifier: MIT */
#include "spec/spec_hash.h"

#include <string.h>

#include "base/hash.h"
#include "spec/spec_param.h"

/* True if a key of a map contributes to the hash. */
typedef bool Counts(const void *context, const char *key);

static bool every_key(const void *context, const char *key) {
  (void)context;
  return strcmp(key, "about") != 0;
}

static uint64_t hash_node(const Yaml *node);

/* The order of keys is irrelevant: the pairs' hashes are added. An empty map adds nothing. */
static uint64_t hash_map(const Yaml *map, Counts *counts, const void *context) {
  uint64_t sum = 0;
  for (int i = 0; i < map->count; i++) {
    const char *key = map->pair[i].key->text;
    const uint64_t value = counts(context, key) ? hash_node(map->pair[i].value) : 0;
    if (value)
      sum += hash_bytes(hash_bytes(HASH_START, key, strlen(key) + 1), &value, sizeof value);
  }
  return sum;
}

static uint64_t hash_node(const Yaml *node) {
  if (node->kind == YAML_MAP) return hash_map(node, every_key, NULL);
  if (node->kind == YAML_TEXT) return hash_bytes(HASH_START, node->text, strlen(node->text));
  uint64_t h = HASH_START;
  for (int i = 0; i < node->count; i++) {
    const uint64_t item = hash_node(node->item[i]);
    h = hash_bytes(h, &item, sizeof item);
  }
  return h;
}

/* --- the spec, except for its name --- */

/* The sizes of the timed problem are no part of the hash: a record states its problem. */
static bool says_something(const void *context, const char *key) {
  (void)context;
  return strcmp(key, "version") != 0 && strcmp(key, "name") != 0 && strcmp(key, "problem") != 0 &&
         strcmp(key, "params") != 0;
}

static bool is_no_size(const void *context, const char *key) {
  return !param_is_size(context, key) && every_key(NULL, key);
}

/* Adds the params that count to the hash of the other keys. */
static uint64_t add_params(uint64_t h, const Yaml *root, Counts *counts, const void *context) {
  const Yaml *params = yaml_get(root, "params");
  const bool map = params && params->kind == YAML_MAP;
  const uint64_t fixed = map ? hash_map(params, counts, context) : 0;
  return fixed ? h + hash_bytes(hash_bytes(HASH_START, "params", 7), &fixed, sizeof fixed) : h;
}

/* --- the spec without what its template's axes set --- */

static bool is_axis(const Spec *s, const char *name) {
  for (int i = 0; i < s->axes; i++)
    if (strcmp(s->axis[i].name, name) == 0) return true;
  return false;
}

static bool is_no_axis(const void *context, const char *key) {
  const SpecReader *r = context;
  return !is_axis(r->out, key) && is_no_size(r, key);
}

static bool stays_fixed(const void *context, const char *key) {
  const Spec *s = context;
  if (strcmp(key, "tile") == 0) return !is_axis(s, "d0") && !is_axis(s, "d1");
  if (strcmp(key, "block") == 0) return !is_axis(s, "bx") && !is_axis(s, "by");
  return says_something(NULL, key);
}

/* --- the template, without its tuning axes --- */

static bool makes_kernels(const void *context, const char *key) {
  return strcmp(key, "tune") != 0 && every_key(context, key);
}

uint64_t spec_hash_family(const Yaml *family) { return hash_map(family, makes_kernels, NULL); }

SpecHash spec_hash(const SpecReader *r) {
  const Yaml *root = r->spec;
  return (SpecHash){add_params(hash_map(root, says_something, NULL), root, is_no_size, r),
                    add_params(hash_map(root, stays_fixed, r->out), root, is_no_axis, r)};
}
