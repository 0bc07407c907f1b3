#include "exec/exec_session.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "exec/exec_symbols.h"
#include "lint/report/merge.h"
#include "lint/report/read.h"

typedef struct {
  Arena *arena;
  const Scratch *scratch;
  const char *folder;
  Text *why;
  ExecSession *out;
  int capacity; /* of launches */
} Reader;

/* --- the files, in the order in which processes and launches began --- */

typedef struct {
  const char *file;
  long process, before; /* before: programs that the process was before this one */
  long launch;          /* -1: of the process itself */
} Name;

static bool read_name(const char *text, Name *out) {
  char *end;
  *out = (Name){.process = strtol(text, &end, 10), .launch = -1};
  if (end == text) return false;
  if (*end == '+') out->before = strtol(end + 1, &end, 10);
  if (*end == '-') out->launch = strtol(end + 1, &end, 10);
  return strcmp(end, ".json") == 0;
}

static int by_name(const void *pa, const void *pb) {
  const Name *a = pa, *b = pb;
  long order = a->process - b->process;
  if (!order) order = a->before - b->before;
  if (!order) order = a->launch - b->launch;
  return (order > 0) - (order < 0);
}

static Name *list_names(Arena *a, const char *folder, int *count) {
  int capacity = 0;
  Name *all = NULL;
  DIR *dir = opendir(folder);
  *count = 0;
  for (struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
    Name name;
    if (!read_name(e->d_name, &name)) continue;
    name.file = arena_printf(a, "%s", e->d_name);
    all = arena_grow(a, all, *count, &capacity, sizeof *all);
    all[(*count)++] = name;
  }
  if (dir) closedir(dir);
  if (*count) qsort(all, (size_t)*count, sizeof *all, by_name);
  return all;
}

/* --- one file --- */

static void add_launch(Reader *r, ExecLaunch *new) {
  r->out->judged += new->report.launches;
  for (int i = 0; i < r->out->count; i++) {
    ExecLaunch *known = r->out->launch[i];
    if (!lint_merge_equal(&known->report, &new->report)) continue;
    lint_merge(r->arena, &known->report, &new->report);
    return;
  }
  r->out->launch =
      arena_grow(r->arena, r->out->launch, r->out->count, &r->capacity, sizeof *r->out->launch);
  r->out->launch[r->out->count++] = new;
}

static bool read_launch(Reader *r, const Yaml *root) {
  ExecLaunch *new = ARENA_NEW(r->arena, ExecLaunch);
  const Yaml *pictures = yaml_get(root, "pictures");
  if (!lint_read(r->arena, yaml_get(root, "lint"), yaml_get(root, "more"), r->folder, &new->report))
    return false;
  new->report.from = lint_stack_read(r->arena, yaml_get(root, "from"));
  new->report.also_from = lint_stacks_read(r->arena, yaml_get(root, "also_from"));
  new->pictures = (LintPictures){yaml_text(pictures, "arrays"), yaml_text(pictures, "sources")};
  add_launch(r, new);
  return true;
}

static void add_host(Reader *r, const LintHostFinding *new) {
  ExecSession *s = r->out;
  for (int i = 0; i < s->host_count; i++) {
    LintHostFinding *known = &s->host[i];
    if (!lint_host_same(known, new)) continue;
    known->count += new->count;
    known->bytes += new->bytes;
    return;
  }
  s->host = arena_grow(r->arena, s->host, s->host_count, &s->capacity, sizeof *s->host);
  s->host[s->host_count++] = *new;
}

static void add_name(WordList *all, const char *name) {
  for (int i = 0; i < all->count; i++)
    if (strcmp(all->word[i], name) == 0) return;
  word_list_add(all, name);
}

static void add_names(WordList *all, const Yaml *list) {
  for (int i = 0; i < yaml_items(list); i++)
    if (list->item[i]->kind == YAML_TEXT) add_name(all, list->item[i]->text);
}

static bool read_process(Reader *r, const Yaml *root, bool first) {
  const Yaml *host = yaml_get(root, "host");
  LintHostFinding f;
  if (!host) return false;
  r->out->processes += first;
  r->out->unchecked += yaml_number(root, "unjudged");
  for (int i = 0; i < yaml_items(host); i++)
    if (lint_host_read(r->arena, host->item[i], &f)) add_host(r, &f);
  add_names(&r->out->missing, yaml_get(root, "missing"));
  add_names(&r->out->waiting, yaml_get(root, "waiting"));
  return true;
}

static void read_file(Reader *r, Name name) {
  const char *path = scratch_file(r->arena, r->scratch, name.file);
  const Yaml *root = yaml_read_report(r->arena, diag_new(r->arena), path, NULL);
  if (!root || !(name.launch < 0 ? read_process(r, root, !name.before) : read_launch(r, root)))
    text_printf(r->why, "kgen: cannot read the session's file %s\n", name.file);
}

/* --- the whole --- */

static void name_calls(Reader *r) {
  ExecSession *s = r->out;
  const int most = s->count * (1 + LINT_STACKS) + s->host_count;
  LintStack **stack = ARENA_ARRAY(r->arena, LintStack *, (size_t)most + 1);
  int count = 0;
  for (int i = 0; i < s->count; i++) {
    LintReport *one = &s->launch[i]->report;
    stack[count++] = &one->from;
    for (int k = 0; k < one->also_from.count; k++) stack[count++] = &one->also_from.stack[k];
  }
  for (int i = 0; i < s->host_count; i++) stack[count++] = &s->host[i].from;
  exec_symbols(r->arena, r->scratch, r->folder, stack, count);
}

ExecSession exec_session_read(Arena *a, const Scratch *session, const char *folder, Text *why) {
  int count;
  ExecSession out = {.missing = {.arena = a}, .waiting = {.arena = a}};
  Reader r = {.arena = a, .scratch = session, .folder = folder, .why = why, .out = &out};
  const Name *name = list_names(a, session->folder, &count);
  for (int i = 0; i < count; i++) read_file(&r, name[i]);
  name_calls(&r);
  return out;
}

void exec_session_drop_leaks(ExecSession *s) {
  int kept = 0;
  for (int i = 0; i < s->host_count; i++)
    if (s->host[i].kind != LINT_LEAK) s->host[kept++] = s->host[i];
  s->host_count = kept;
}
