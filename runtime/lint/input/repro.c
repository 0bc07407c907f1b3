/* SPDX-License-Identifier: MIT */
#include "lint/input/repro.h"

#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "command/repro.h"

enum { MAX_HEADER = 16 << 20, MAX_HEADERS = 1 << 12 };

typedef struct {
  Arena *arena;
  const Options *options;
  OptionList found; /* paths; files from index `next` on are not scanned yet */
  int next;
} Headers;

static void add(Headers *h, const char *path) {
  for (int i = 0; i < h->found.count; i++)
    if (strcmp(h->found.item[i], path) == 0) return;
  if (h->found.count < MAX_HEADERS) option_list_add(h->arena, &h->found, path);
}

static bool add_existing(Headers *h, const char *path) {
  if (access(path, R_OK) != 0) return false;
  add(h, path);
  return true;
}

/* Looks a header up on the compilers' search path, without the toolkit's own directories. */
static void add_named(Headers *h, const char *from, const char *name) {
  const OptionList *include = &h->options->lint.include;
  if (name[0] == '/') return;
  if (add_existing(h, path_beside(h->arena, from, name))) return;
  for (int i = 0; i < include->count; i++)
    if (add_existing(h, arena_printf(h->arena, "%s/%s", include->item[i], name))) return;
  add_existing(h, path_beside(h->arena, h->options->lint.file, name));
}

/* Finds every line that begins with #include "NAME" or <NAME>. */
static void scan(Headers *h, const char *from, const char *text) {
  for (const char *line = text; line; line = strchr(line, '\n')) {
    line += strspn(line, " \t\r\n");
    if (*line != '#') {
      if (!*line) return;
      continue;
    }
    const char *at = line + 1 + strspn(line + 1, " \t");
    if (strncmp(at, "include", 7) != 0) continue;
    at += 7 + strspn(at + 7, " \t");
    const char close = *at == '<' ? '>' : *at == '"' ? '"' : '\0';
    const size_t n = close ? strcspn(at + 1, "\">\n") : 0;
    if (n && at[1 + n] == close) add_named(h, from, arena_strndup(h->arena, at + 1, n));
  }
}

void lint_inputs_headers(const Options *o, const LintSource *s) {
  if (!o->repro || s->is_ptx) return;
  Headers h = {.arena = s->arena, .options = o};
  scan(&h, s->path, s->text);
  while (h.next < h.found.count) {
    const char *path = h.found.item[h.next++];
    size_t length;
    const char *text = file_read(s->arena, path, MAX_HEADER, &length);
    repro_reads(o->repro, path);
    if (text) scan(&h, path, text);
  }
}

static void read_value(const Options *o, const LintValue *v) {
  if (v->fill.file) repro_reads(o->repro, v->fill.file);
  for (int i = 0; i < v->members; i++) read_value(o, &v->member[i]);
}

void lint_inputs_data(const Options *o, const LintLaunch *l) {
  for (int i = 0; i < l->args; i++) read_value(o, &l->arg[i]);
  for (int i = 0; i < l->memories; i++) read_value(o, &l->memory[i]);
  for (int i = 0; i < l->variables; i++) read_value(o, &l->variable[i].value);
  for (int i = 0; i < l->expects; i++) read_value(o, &l->expect[i].want);
}
