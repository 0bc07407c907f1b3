/* yaml_tree.h: a YAML file as a tree whose every node knows its place. One document, no tags;
 * anchors and aliases are resolved. */
#ifndef KGEN_BASE_YAML_TREE_H
#define KGEN_BASE_YAML_TREE_H

#include "base/diag.h"

/* Limits beyond which a file is refused; specs stay far below them. YAML_MAX_NODES counts an alias
 * as all that it stands for. A report that kgen wrote as JSON, which is YAML, may be larger. */
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
  Loc loc;          /* of a list or map: its first character */
  const char *text; /* YAML_TEXT; holds no NUL */
  Loc inner;        /* of the text itself, inside its quotes if it has any */
  bool quoted;
  int count;         /* entries of a list or map */
  const Yaml **item; /* YAML_LIST */
  YamlPair *pair;    /* YAML_MAP; no key stands twice, every key is YAML_TEXT */
  long size;         /* nodes from here down, aliases written out */
  bool open;         /* used only while reading */
};

/* The text of a file, which may be a pipe that gives it only once; NULL if it cannot be read. */
const Source *yaml_source(Arena *a, Diag *d, const char *path);
/* Reads a file, or its text where that is known. Mistakes go to d; NULL after one that leaves no
 * tree: unreadable, not UTF-8, not YAML, an alias that holds itself, beyond the limits. A duplicate
 * key or a tag leaves one. */
const Yaml *yaml_read(Arena *a, Diag *d, const char *path, const Source *known);
/* The same with the limits of a report. */
const Yaml *yaml_read_report(Arena *a, Diag *d, const char *path, const Source *known);
/* The value of a key, NULL if the map (which may be NULL) has none. */
const Yaml *yaml_get(const Yaml *map, const char *key);
/* The text of such a value; NULL if there is none, or a list or a map. */
const char *yaml_text(const Yaml *map, const char *key);
/* The number that such a text begins with, 0 if it begins with none: what kgen wrote itself. */
uint64_t yaml_number(const Yaml *map, const char *key);
/* The entries of a list; 0 of NULL, and of what is no list. */
int yaml_items(const Yaml *list);
/* The key itself, for its place. */
const Yaml *yaml_key(const Yaml *map, const char *key);
/* An empty, null or ~ value. */
bool yaml_is_null(const Yaml *node);
/* "a list", "a map" or "text", for messages. */
const char *yaml_kind(const Yaml *node);

#endif
