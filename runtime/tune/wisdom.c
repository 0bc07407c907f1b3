/* SPDX-License-Identifier: MIT */
#include "tune/wisdom.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/span.h"
#include "base/yaml_tree.h"

enum { MAX_FILE = 1 << 30 };

const char *const unit_name[UNITS] = {[UNIT_MS] = "ms", [UNIT_COUNTS] = "counts"};

/* --- names with numbers --- */

const Param *values_find(const Values *v, const char *name) {
  for (int i = 0; i < v->count; i++)
    if (strcmp(v->param[i].name, name) == 0) return &v->param[i];
  return NULL;
}

bool values_equal(const Values *a, const Values *b) {
  for (int i = 0; i < a->count; i++) {
    const Param *other = values_find(b, a->param[i].name);
    if (!other || other->value != a->param[i].value) return false;
  }
  return a->count == b->count;
}

int values_order(const Values *a, const Values *b) {
  for (int i = 0; i < a->count && i < b->count; i++) {
    const Param *x = &a->param[i], *y = &b->param[i];
    const int names = strcmp(x->name, y->name);
    if (names) return names;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
  }
  return (a->count > b->count) - (a->count < b->count);
}

const char *values_text(Arena *a, const Values *v) {
  Text t = text_new(a);
  for (int i = 0; i < v->count; i++)
    text_printf(&t, "%s%s=%" PRId64, i ? " " : "", v->param[i].name, v->param[i].value);
  return t.s;
}

bool values_parse(Arena *a, const char *text, Values *out) {
  Param *param = ARENA_ARRAY(a, Param, strlen(text) / 2 + 1);
  *out = (Values){0, param};
  while (*text) {
    const size_t n = strcspn(text, "= ");
    char *end;
    if (!n || text[n] != '=') return false;
    param[out->count].name = arena_strndup(a, text, n);
    param[out->count++].value = strtoll(text + n + 1, &end, 10);
    if (end == text + n + 1 || (*end && *end != ' ')) return false;
    text = end + strspn(end, " ");
  }
  return true;
}

/* --- a record as text --- */

void values_json(Json *j, const char *key, const Values *v) {
  json_line(j, key);
  for (int i = 0; i < v->count; i++) json_int(j, v->param[i].name, v->param[i].value);
  json_end(j);
}

static void put_hash(Json *j, const char *key, uint64_t hash) {
  char hex[17];
  snprintf(hex, sizeof hex, "%016" PRIx64, hash);
  json_string(j, key, hex);
}

static void put_key(Json *j, const WisdomRecord *r) {
  const WisdomKey *k = &r->key;
  json_string(j, "kernel", k->kernel);
  json_string(j, "name", r->name);
  put_hash(j, "spec", k->spec);
  put_hash(j, "template", k->code);
  json_string(j, "device", k->device);
  json_string(j, "arch", r->arch);
  json_string(j, "driver", r->driver);
  json_string(j, "toolkit", k->toolkit);
  values_json(j, "problem", &k->problem);
}

static void put_result(Json *j, const WisdomRecord *r) {
  json_string(j, "stage", r->final ? "final" : "screen");
  json_string(j, "unit", unit_name[r->key.unit]);
  if (r->invalid) {
    json_string(j, "invalid", r->invalid);
    json_string(j, "why", r->why);
    return;
  }
  json_real(j, "median", r->median);
  json_real(j, "noise", r->noise);
  json_int(j, "samples", r->samples);
  json_string(j, "place", r->place);
}

void wisdom_put(Text *out, const WisdomRecord *r) {
  Json j = json_new(out);
  json_line(&j, NULL);
  json_int(&j, "wisdom", 1);
  put_key(&j, r);
  values_json(&j, "set", &r->set);
  put_result(&j, r);
  json_int(&j, "at", r->at);
  json_end(&j);
}

/* --- parsing a record --- */

static const char *text_at(const Yaml *map, const char *key) {
  const Yaml *v = yaml_get(map, key);
  return v && v->kind == YAML_TEXT ? v->text : "";
}

static uint64_t hash_at(const Yaml *map, const char *key) {
  return strtoull(text_at(map, key), NULL, 16);
}

static Values values_at(Arena *a, const Yaml *map, const char *key) {
  const Yaml *v = yaml_get(map, key);
  const int count = v && v->kind == YAML_MAP ? v->count : 0;
  Param *param = ARENA_ARRAY(a, Param, (size_t)count);
  for (int i = 0; i < count; i++) {
    const Yaml *value = v->pair[i].value;
    param[i].name = v->pair[i].key->text;
    param[i].value = value->kind == YAML_TEXT ? strtoll(value->text, NULL, 10) : 0;
  }
  return (Values){count, param};
}

static bool is_null_at(const Yaml *map, const char *key) {
  const Yaml *v = yaml_get(map, key);
  return !v || yaml_is_null(v);
}

static WisdomRecord record_of(Arena *a, const Yaml *map, const char *file) {
  const bool counts = strcmp(text_at(map, "unit"), unit_name[UNIT_COUNTS]) == 0;
  return (WisdomRecord){.key = {.kernel = text_at(map, "kernel"),
                                .spec = hash_at(map, "spec"),
                                .code = hash_at(map, "template"),
                                .device = text_at(map, "device"),
                                .toolkit = text_at(map, "toolkit"),
                                .problem = values_at(a, map, "problem"),
                                .unit = counts ? UNIT_COUNTS : UNIT_MS},
                        .name = text_at(map, "name"),
                        .arch = text_at(map, "arch"),
                        .driver = text_at(map, "driver"),
                        .set = values_at(a, map, "set"),
                        .invalid = is_null_at(map, "invalid") ? NULL : text_at(map, "invalid"),
                        .why = is_null_at(map, "why") ? NULL : text_at(map, "why"),
                        .final = strcmp(text_at(map, "stage"), "final") == 0,
                        .median = strtod(text_at(map, "median"), NULL),
                        .noise = strtod(text_at(map, "noise"), NULL),
                        .samples = atoi(text_at(map, "samples")),
                        .place = text_at(map, "place"),
                        .at = strtoll(text_at(map, "at"), NULL, 10),
                        .file = file};
}

/* Skips a line that is not a record, or only part of one. */
static bool parse_line(Arena *a, const char *file, const char *line, size_t n, WisdomRecord *out) {
  Source *source = ARENA_NEW(a, Source);
  *source = (Source){file, arena_strndup(a, line, n), n};
  const Yaml *map = n && line[0] == '{' ? yaml_read(a, diag_new(a), file, source) : NULL;
  if (!map || map->kind != YAML_MAP || strcmp(text_at(map, "wisdom"), "1") != 0) return false;
  *out = record_of(a, map, file);
  const bool timed = out->median > 0 && isfinite(out->median) && isfinite(out->noise);
  return *out->key.kernel && out->set.count && (out->invalid || timed);
}

/* --- files --- */

const char *wisdom_file(Arena *a) {
  const char *own = getenv("KGEN_WISDOM"), *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
  if (own && *own) return arena_printf(a, "%s", own);
  if (data && *data == '/') return arena_printf(a, "%s/kgen/wisdom.jsonl", data);
  return home && *home ? arena_printf(a, "%s/.local/share/kgen/wisdom.jsonl", home) : NULL;
}

static void add_line(Wisdom *w, const char *file, const char *line, size_t n) {
  WisdomRecord r;
  if (!parse_line(w->arena, file, line, n, &r)) {
    w->broken += n > 0;
    return;
  }
  w->record = arena_grow(w->arena, w->record, w->count, &w->capacity, sizeof *w->record);
  w->record[w->count++] = r;
}

static void add_lines(Wisdom *w, const char *file, const char *text, const char *only) {
  for (const char *at = text; at && *at;) {
    const Span line = span_line(&at);
    if (!only || memmem(line.s, line.len, only, strlen(only))) add_line(w, file, line.s, line.len);
  }
}

/* Reads the whole file; NULL with errno set. A crash may leave zero bytes, which do not end the
 * text. */
static const char *read_text(Arena *a, const char *file) {
  size_t length;
  char *text = file_read(a, file, MAX_FILE, &length);
  for (size_t i = 0; text && i < length; i++)
    if (!text[i]) text[i] = '?';
  return text;
}

bool wisdom_read(Wisdom *w, const char *file) {
  const char *text = read_text(w->arena, file);
  add_lines(w, file, text, NULL);
  return text;
}

static void add_text(Arena *a, WisdomTexts *t, const char *file) {
  const char *text = read_text(a, file);
  if (!text) return;
  t->file = arena_grow(a, t->file, t->count, &t->capacity, sizeof *t->file);
  t->file[t->count++] = (WisdomText){file, text};
}

static int is_record_file(const struct dirent *e) {
  const size_t n = strlen(e->d_name);
  return n > 6 && strcmp(e->d_name + n - 6, ".jsonl") == 0;
}

WisdomTexts wisdom_texts(Arena *a, const char *folder) {
  WisdomTexts t = {.count = 0};
  struct dirent **entry;
  const int count = folder ? scandir(folder, &entry, is_record_file, alphasort) : 0;
  for (int i = 0; i < count; i++) {
    add_text(a, &t, arena_printf(a, "%s/%s", folder, entry[i]->d_name));
    free(entry[i]);
  }
  if (count > 0) free(entry);
  const char *own = wisdom_file(a);
  if (own) add_text(a, &t, own);
  return t;
}

Wisdom wisdom_parse(Arena *a, const WisdomTexts *texts, const char *only) {
  Wisdom w = {.arena = a};
  for (int i = 0; i < texts->count; i++)
    add_lines(&w, texts->file[i].file, texts->file[i].text, only);
  return w;
}

/* If the last line lacks its line end, a record was truncated, and the next one must not be
 * appended to its line. */
static bool ends_in_line(int fd) {
  char last = '\n';
  const off_t end = lseek(fd, 0, SEEK_END);
  return end <= 0 || pread(fd, &last, 1, end - 1) != 1 || last == '\n';
}

/* True if the file is empty or starts like a record, which a crash may have truncated: anything
 * else is another file of the user or of the system. */
static bool holds_records(int fd) {
  static const char start[] = "{\"wisdom\": 1,";
  char first[sizeof start - 1];
  const ssize_t n = pread(fd, first, sizeof first, 0);
  return n >= 0 && memcmp(first, start, (size_t)n) == 0;
}

static bool may_append(const char *file, int fd, Diag *diag) {
  struct stat st;
  const char *wrong = fstat(fd, &st) != 0      ? strerror(errno)
                      : !S_ISREG(st.st_mode)   ? "not a regular file"
                      : st.st_uid != geteuid() ? "it belongs to another user"
                      : !holds_records(fd)     ? "it does not begin with a measurement"
                                               : NULL;
  if (wrong) diag_say(diag, DIAG_ARGUMENT, "cannot append to %s: %s", file, wrong);
  return !wrong;
}

static int open_to_append(Arena *a, const char *file, Diag *diag) {
  folder_make(path_folder(a, file), 0777); /* if it cannot be made, open says why */
  const int fd = open(file, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  if (fd < 0) diag_say(diag, DIAG_ARGUMENT, "cannot append to %s: %s", file, strerror(errno));
  if (fd < 0 || may_append(file, fd, diag)) return fd;
  close(fd);
  return -1;
}

bool wisdom_is_writable(Arena *a, const char *file, Diag *diag) {
  const int fd = open_to_append(a, file, diag);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

bool wisdom_append(Arena *a, const char *file, const WisdomRecord *r, Diag *diag) {
  const int fd = open_to_append(a, file, diag);
  if (fd < 0) return false;
  Text line = text_new(a);
  if (!ends_in_line(fd)) text_puts(&line, "\n");
  wisdom_put(&line, r);
  errno = ENOSPC; /* errno is not set if only a part of the line was written */
  const bool ok = write(fd, line.s, line.len) == (ssize_t)line.len;
  if (!ok) diag_say(diag, DIAG_ARGUMENT, "cannot append to %s: %s", file, strerror(errno));
  close(fd);
  return ok;
}
