/* SPDX-License-Identifier: MIT */
/* yaml_tree.h: a YAML file as a tree in which every node knows its location. One document, no tags;
 * anchors and aliases are resolved. */
#ifndef KGEN_BASE_YAML_TREE_H
#define KGEN_BASE_YAML_TREE_H

#include "base/diag.h"

/* Limits above which a file is rejected; specs are far smaller. YAML_MAX_NODES counts aliases
 * expanded. A report that kgen wrote as JSON, which is YAML, may be larger. */
enum {
  YAML_MAX_BYTES = 1 << 20,
  YAML_MAX_DEPTH = 64,
  YAML_MAX_NODES = 100000,
  YAML_MAX_KEYS = 1000,
  YAML_REPORT_BYTES = 1 << 28,
  YAML_REPORT_NODES = 1 << 24
};

typedef enum { YAML_TEXT, YAML_LIST, YAML_MAP } YamlKind;

typedef struct Yaml Yaml;

typedef struct {
  const Yaml *key, *value;
} YamlPair;

struct Yaml {
  YamlKind kind;
  Loc loc;          /* for a list or map: its first character */
  const char *text; /* for YAML_TEXT; contains no NUL */
  Loc inner;        /* location of the text itself, inside its quotes if it has any */
  bool quoted;
  int count;         /* number of entries of a list or map */
  const Yaml **item; /* YAML_LIST */
  YamlPair *pair;    /* for YAML_MAP; keys are unique, and every key is YAML_TEXT */
  long size;         /* number of nodes from here down, with aliases expanded */
  bool open;         /* used only while reading */
};

/* Reads the text of a file, which may be a pipe that can be read only once; NULL if it cannot be
 * read. */
const Source *yaml_source(Arena *a, Diag *d, const char *path);
/* Reads a file, or its text if `known` is given. Errors go to d. NULL if an error leaves no tree:
 * unreadable, not UTF-8, not YAML, an alias that contains itself, above the limits. Duplicate keys
 * and tags are errors that leave a tree. */
const Yaml *yaml_read(Arena *a, Diag *d, const char *path, const Source *known);
/* Like yaml_read(), with the limits for a report. */
const Yaml *yaml_read_report(Arena *a, Diag *d, const char *path, const Source *known);
/* The value of a key, NULL if the map (which may be NULL) has none. */
const Yaml *yaml_get(const Yaml *map, const char *key);
/* The text of that value; NULL if there is none, or if it is a list or a map. */
const char *yaml_text(const Yaml *map, const char *key);
/* The number at the start of that text, or 0; for files that kgen wrote itself. */
uint64_t yaml_number(const Yaml *map, const char *key);
/* The number of entries of a list; 0 for NULL and for other nodes. */
int yaml_items(const Yaml *list);
/* The key node itself, for its location. */
const Yaml *yaml_key(const Yaml *map, const char *key);
/* An empty, null or ~ value. */
bool yaml_is_null(const Yaml *node);
/* "a list", "a map" or "text", for messages. */
const char *yaml_kind(const Yaml *node);

#endif
