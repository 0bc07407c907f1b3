/* SPDX-License-Identifier: MIT */
#include "base/yaml_tree.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <yaml.h>

#include "base/file.h"
#include "base/utf8.h"

typedef struct {
  const char *name;
  const Yaml *node;
} Anchor;

/* A list or map that is being filled. */
typedef struct {
  Yaml *node;
  const Yaml *key; /* for a map: the key whose value is next */
  int capacity;
} Level;

typedef struct {
  Arena *arena;
  Diag *diag;
  const Source *source;
  yaml_parser_t *parser;
  Level level[YAML_MAX_DEPTH];
  int depth;
  int anchors, anchor_capacity;
  Anchor *anchor;
  const Yaml *root;
  long nodes, max_nodes;
  bool stop;   /* reading has stopped, */
  bool broken; /* because of an error */
} Reader;

static Loc loc_of(const Reader *r, yaml_mark_t begin, yaml_mark_t end) {
  const bool one_line = begin.line == end.line && end.column > begin.column;
  return (Loc){r->source, (int)begin.line + 1, (int)begin.column + 1,
               one_line ? (int)(end.column - begin.column) : 1};
}

/* Reports an error that ends the reading. */
static void give_up(Reader *r, Loc loc, const char *what) {
  diag_error(r->diag, loc, "%s", what);
  r->stop = r->broken = true;
}

/* --- building the tree --- */

static void put_key(Reader *r, Level *level, const Yaml *key) {
  if (key->kind != YAML_TEXT) {
    give_up(r, key->loc, "a key must be a word");
    return;
  }
  const Yaml *first = yaml_key(level->node, key->text);
  if (first)
    diag_error(r->diag, key->loc, "duplicate key '%s', first given on line %d", key->text,
               first->loc.line);
  level->key = key;
}

static void put_pair(Reader *r, Level *level, const Yaml *value) {
  Yaml *map = level->node;
  if (map->count == YAML_MAX_KEYS) {
    give_up(r, level->key->loc, "a map of more than 1000 keys");
    return;
  }
  map->pair = arena_grow(r->arena, map->pair, map->count, &level->capacity, sizeof(YamlPair));
  if (!yaml_key(map, level->key->text)) /* the first of duplicate keys is used */
    map->pair[map->count++] = (YamlPair){level->key, value};
  level->key = NULL;
}

static void put_item(Reader *r, Level *level, const Yaml *value) {
  Yaml *list = level->node;
  list->item = arena_grow(r->arena, list->item, list->count, &level->capacity, sizeof(Yaml *));
  list->item[list->count++] = value;
}

/* Adds a finished node to the open list or map, or makes it the root. */
static void put(Reader *r, const Yaml *node) {
  if (r->depth == 0) {
    r->root = node;
    return;
  }
  Level *level = &r->level[r->depth - 1];
  level->node->size += node->size;
  if (level->node->kind == YAML_LIST)
    put_item(r, level, node);
  else if (!level->key)
    put_key(r, level, node);
  else
    put_pair(r, level, node);
}

/* Counts the nodes of the tree with its aliases expanded. */
static bool count_nodes(Reader *r, Loc loc, long size) {
  r->nodes += size;
  if (r->nodes <= r->max_nodes) return true;
  give_up(r, loc, arena_printf(r->arena, "more than %ld nodes", r->max_nodes));
  return false;
}

/* --- events --- */

static void remember(Reader *r, const yaml_char_t *name, const Yaml *node) {
  if (!name) return;
  r->anchor = arena_grow(r->arena, r->anchor, r->anchors, &r->anchor_capacity, sizeof(Anchor));
  const char *copy = arena_strndup(r->arena, (const char *)name, strlen((const char *)name));
  r->anchor[r->anchors++] = (Anchor){copy, node};
}

static Yaml *node_new(Reader *r, YamlKind kind, const yaml_event_t *e, const yaml_char_t *anchor,
                      const yaml_char_t *tag) {
  Yaml *node = ARENA_NEW(r->arena, Yaml);
  *node = (Yaml){.kind = kind, .loc = loc_of(r, e->start_mark, e->end_mark), .size = 1};
  if (!count_nodes(r, node->loc, 1)) return NULL;
  if (tag) {
    diag_error(r->diag, node->loc, "tags have no meaning here: %s", (const char *)tag);
    diag_hint(r->diag, "an expression that begins with '!' must be quoted");
  }
  remember(r, anchor, node);
  return node;
}

/* The location of a scalar's text, inside its quotes. expr_parse() detects by the length if escapes
 * or line breaks make the text differ from the source. */
static Loc inner_loc(const Yaml *node) {
  Loc loc = node->loc;
  if (node->quoted && loc.width > 2) {
    loc.col++;
    loc.width -= 2;
  }
  return loc;
}

static void on_text(Reader *r, const yaml_event_t *e) {
  const char *text = (const char *)e->data.scalar.value;
  const size_t length = e->data.scalar.length;
  Yaml *node = node_new(r, YAML_TEXT, e, e->data.scalar.anchor, e->data.scalar.tag);
  if (!node) return;
  if (strlen(text) != length) diag_error(r->diag, node->loc, "the text contains a NUL byte");
  node->text = arena_strndup(r->arena, text, length);
  node->quoted = e->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
  node->inner = inner_loc(node);
  put(r, node);
}

static void on_open(Reader *r, const yaml_event_t *e) {
  const bool list = e->type == YAML_SEQUENCE_START_EVENT;
  Yaml *node =
      list ? node_new(r, YAML_LIST, e, e->data.sequence_start.anchor, e->data.sequence_start.tag)
           : node_new(r, YAML_MAP, e, e->data.mapping_start.anchor, e->data.mapping_start.tag);
  if (!node) return;
  if (r->depth == YAML_MAX_DEPTH) {
    give_up(r, node->loc, "nested more than 64 deep");
    return;
  }
  node->open = true;
  r->level[r->depth++] = (Level){node, NULL, 0};
}

static void on_close(Reader *r) {
  Yaml *node = r->level[--r->depth].node;
  node->open = false;
  put(r, node);
}

static void on_alias(Reader *r, const yaml_event_t *e) {
  const char *name = (const char *)e->data.alias.anchor;
  const Loc loc = loc_of(r, e->start_mark, e->end_mark);
  const Yaml *node = NULL;
  for (int i = r->anchors - 1; i >= 0 && !node; i--)
    if (strcmp(r->anchor[i].name, name) == 0) node = r->anchor[i].node;
  if (!node) {
    give_up(r, loc, arena_printf(r->arena, "no anchor '&%s' precedes this alias", name));
    diag_hint(r->diag, "an expression that begins with '*' must be quoted");
  } else if (node->open) {
    give_up(r, loc, arena_printf(r->arena, "alias '*%s' loops: it is inside '&%s'", name, name));
  } else if (count_nodes(r, loc, node->size)) {
    put(r, node);
  }
}

static void on_document(Reader *r, const yaml_event_t *e) {
  if (r->root) give_up(r, loc_of(r, e->start_mark, e->end_mark), "a second document");
}

static void on_event(Reader *r, const yaml_event_t *e) {
  switch (e->type) {
  case YAML_DOCUMENT_START_EVENT: on_document(r, e); break;
  case YAML_SCALAR_EVENT: on_text(r, e); break;
  case YAML_SEQUENCE_START_EVENT:
  case YAML_MAPPING_START_EVENT: on_open(r, e); break;
  case YAML_SEQUENCE_END_EVENT:
  case YAML_MAPPING_END_EVENT: on_close(r); break;
  case YAML_ALIAS_EVENT: on_alias(r, e); break;
  case YAML_STREAM_END_EVENT: r->stop = true; break;
  default: break;
  }
}

/* Hints for errors of libyaml, selected by words of its description. */
typedef struct {
  const char *problem, *context; /* NULL: any */
  bool begins; /* the error is at the beginning of the context; libyaml noticed it lines later */
  const char *text;
} Hint;

static const Hint hints[] = {
    {NULL, "tag", false, "an expression that begins with '!' must be quoted"},
    {"cannot start any token", NULL, false,
     "indent with spaces; quote an expression that begins with '%', '@' or '`'"},
    {"expected ':'", "simple key", true, "a key and its value are separated by ': '"},
    {"end of stream", "quoted scalar", true, "the quote that begins here is never closed"},
    {"expected key", "block mapping", false, "the keys of a map begin in the same column"},
    {"mapping values are not allowed", NULL, false,
     "the keys of a map begin in the same column; quote a text that holds ': '"},
    {"expected '-'", "block collection", false, "the entries of a list begin in the same column"},
};

static const Hint *hint_of(const yaml_parser_t *p) {
  for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
    const Hint *y = &hints[i];
    if (y->problem && !(p->problem && strstr(p->problem, y->problem))) continue;
    if (!y->context || (p->context && strstr(p->context, y->context))) return y;
  }
  return NULL;
}

/* Reports libyaml's error, and what it was reading at the time. */
static void on_broken(Reader *r) {
  const yaml_parser_t *p = r->parser;
  const Hint *found = hint_of(p);
  const bool begins = found && found->begins;
  const yaml_mark_t at = begins ? p->context_mark : p->problem_mark;
  const char *what = p->problem ? p->problem : "not YAML";
  if (begins)
    what = arena_printf(r->arena, "%s, %s", what, p->context);
  else if (p->context)
    what = arena_printf(r->arena, "%s, %s that begins on line %d", what, p->context,
                        (int)p->context_mark.line + 1);
  give_up(r, (Loc){r->source, (int)at.line + 1, (int)at.column + 1, 1}, what);
  if (found) diag_hint(r->diag, "%s", found->text);
}

static void read_events(Reader *r) {
  while (!r->stop) {
    yaml_event_t e;
    if (!yaml_parser_parse(r->parser, &e)) {
      on_broken(r);
      return;
    }
    on_event(r, &e);
    yaml_event_delete(&e);
  }
}

/* --- the file --- */

/* Checks for NUL bytes, which libyaml takes for the end, and for other invalid bytes, which it
 * reports poorly. */
static bool check_text(Diag *d, const Source *s) {
  const char *end = s->text + s->len, *line = s->text;
  int number = 1;
  for (const char *p = s->text; p < end;) {
    int bytes;
    const uint32_t c = utf8_decode(p, end, &bytes);
    const bool control = (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
    if (c == UTF8_BAD || control) {
      for (const char *next; (next = utf8_next_line(line, end)) <= p && next > line; number++)
        line = next;
      const Loc loc = {s, number, utf8_count(line, p) + 1, 1};
      diag_error(d, loc, c == UTF8_BAD ? "byte 0x%02x is not UTF-8" : "control character 0x%02x",
                 (unsigned)(unsigned char)*p);
      return false;
    }
    p += bytes;
  }
  return true;
}

/* Decodes half of a surrogate pair in JSON's escape form, \ud83d: its 16 bits, or 0. */
static uint32_t surrogate_at(const char *s, const char *end, uint32_t first) {
  uint32_t code = 0;
  if (end - s < 6 || s[0] != '\\' || s[1] != 'u') return 0;
  for (int i = 2; i < 6; i++) {
    if (!isxdigit((unsigned char)s[i])) return 0;
    code =
        code * 16 + (uint32_t)(isdigit((unsigned char)s[i]) ? s[i] - '0' : (s[i] | 32) - 'a' + 10);
  }
  return code >> 10 == first >> 10 ? code : 0;
}

/* True for characters that JSON allows raw in strings, but YAML rejects or takes for line
 * breaks. */
static bool is_raw_in_json(uint32_t c) {
  return (c >= 0x7f && c <= 0x9f) || c == 0x2028 || c == 0x2029 || c == 0xfffe || c == 0xffff;
}

/* Replaces the character at p by an escape of YAML's; returns how many bytes it has, 0: none. JSON
 * escapes a character beyond 16 bits as two, \ud83d\ude00. */
static int replace_json(Text *out, const char *p, const char *end) {
  enum { HIGH = 0xd800, LOW = 0xdc00, HALF = 6 };
  int bytes;
  const uint32_t high = surrogate_at(p, end, HIGH);
  const uint32_t low = high ? surrogate_at(p + HALF, end, LOW) : 0;
  if (low) text_printf(out, "\\U%08x", 0x10000 + ((high - HIGH) << 10) + (low - LOW));
  if (low) return 2 * HALF;
  const uint32_t c = utf8_decode(p, end, &bytes);
  if (!is_raw_in_json(c)) return 0;
  text_printf(out, "\\u%04x", (unsigned)c);
  return bytes;
}

/* Replaces what is valid JSON but not YAML. Messages then quote the replacement. */
static const Source *read_as_json(Arena *a, const Source *s) {
  Text out = text_new(a);
  const char *end = s->text + s->len;
  for (const char *p = s->text; p < end;) {
    size_t n = 0;
    while (p + n < end && p[n] != '\\' && (unsigned char)p[n] < 0x7f) n++;
    text_add(&out, p, n);
    p += n;
    if (p == end) break;
    const int replaced = replace_json(&out, p, end);
    const int kept = replaced ? 0 : *p == '\\' && p + 1 < end ? 2 : 1; /* an escaped backslash */
    text_add(&out, p, (size_t)kept);
    p += kept + replaced;
  }
  Source *json = ARENA_NEW(a, Source);
  *json = (Source){s->path, out.s, out.len};
  return json;
}

/* Skips a UTF-8 byte order mark: columns are counted after it. */
static void skip_mark(Source *s) {
  static const char mark[] = "\xEF\xBB\xBF";
  const size_t n = strlen(mark);
  if (!s->text || s->len < n || memcmp(s->text, mark, n) != 0) return;
  s->text += n;
  s->len -= n;
}

static const Source *open_source(Arena *a, Diag *d, const char *path, size_t max) {
  Source *s = ARENA_NEW(a, Source);
  s->path = arena_strndup(a, path, strlen(path));
  s->text = file_read(a, path, max, &s->len);
  skip_mark(s);
  if (s->text) return s;
  const char *why =
      errno == EFBIG ? arena_printf(a, "larger than %zu MiB", max >> 20) : strerror(errno);
  s->text = "";
  diag_error(d, (Loc){s, 0, 0, 1}, "cannot read the file: %s", why);
  return NULL;
}

static const Yaml *parse(Reader *r) {
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser)) die("yaml_parser_initialize");
  yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&parser, (const unsigned char *)r->source->text, r->source->len);
  r->parser = &parser;
  read_events(r);
  yaml_parser_delete(&parser);
  if (r->broken) return NULL;
  if (!r->root) diag_error(r->diag, (Loc){r->source, 1, 1, 1}, "the file is empty");
  return r->root;
}

static const Yaml *read_within(Arena *a, Diag *d, const char *path, const Source *known,
                               size_t max_bytes, long max_nodes) {
  const Source *source = known ? known : open_source(a, d, path, max_bytes);
  if (!source) return NULL;
  if (source->text[strspn(source->text, " \t\r\n")] == '{') source = read_as_json(a, source);
  if (!check_text(d, source)) return NULL;
  Reader *r = ARENA_NEW(a, Reader);
  *r = (Reader){.arena = a, .diag = d, .source = source, .max_nodes = max_nodes};
  return parse(r);
}

const Source *yaml_source(Arena *a, Diag *d, const char *path) {
  return open_source(a, d, path, YAML_MAX_BYTES);
}

const Yaml *yaml_read(Arena *a, Diag *d, const char *path, const Source *known) {
  return read_within(a, d, path, known, YAML_MAX_BYTES, YAML_MAX_NODES);
}

const Yaml *yaml_read_report(Arena *a, Diag *d, const char *path, const Source *known) {
  return read_within(a, d, path, known, YAML_REPORT_BYTES, YAML_REPORT_NODES);
}

int yaml_items(const Yaml *list) { return list && list->kind == YAML_LIST ? list->count : 0; }

const char *yaml_text(const Yaml *map, const char *key) {
  const Yaml *v = yaml_get(map, key);
  return v && v->kind == YAML_TEXT ? v->text : NULL;
}

uint64_t yaml_number(const Yaml *map, const char *key) {
  const char *text = yaml_text(map, key);
  return text ? strtoull(text, NULL, 10) : 0;
}

const Yaml *yaml_key(const Yaml *map, const char *key) {
  for (int i = 0; map && map->kind == YAML_MAP && i < map->count; i++)
    if (strcmp(map->pair[i].key->text, key) == 0) return map->pair[i].key;
  return NULL;
}

const Yaml *yaml_get(const Yaml *map, const char *key) {
  for (int i = 0; map && map->kind == YAML_MAP && i < map->count; i++)
    if (strcmp(map->pair[i].key->text, key) == 0) return map->pair[i].value;
  return NULL;
}

bool yaml_is_null(const Yaml *node) {
  static const char *const spelling[] = {"", "~", "null", "Null", "NULL"};
  if (node->kind != YAML_TEXT || node->quoted) return false;
  for (size_t i = 0; i < sizeof(spelling) / sizeof(*spelling); i++)
    if (strcmp(node->text, spelling[i]) == 0) return true;
  return false;
}

const char *yaml_kind(const Yaml *node) {
  static const char *const kind[] = {"text", "a list", "a map"};
  return yaml_is_null(node) ? "nothing" : kind[node->kind];
}
