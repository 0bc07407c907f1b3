/* SPDX-License-Identifier: MIT */
#include "exec/exec_session.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/random.h"
#include "exec/exec_symbols.h"
#include "lint/report/merge.h"
#include "lint/report/read.h"

typedef struct {
  Arena *arena;
  const Scratch *scratch;
  const char *folder;
  ExecSession *out;
  int capacity;       /* allocated launches */
  uint64_t processes; /* number of processes with records, including programs that they executed */
  WordList known;     /* processes, by identity */
  const char *broken; /* a file that cannot be read, or NULL */
} Reader;

/* --- the files --- */

typedef struct {
  const char *file;
  char name[RANDOM_NAME + 1]; /* random name of the process */
  long launch;                /* number of the launch; -1: the file describes the process */
  const Yaml *root;           /* NULL: the file cannot be read */
  uint64_t began;             /* time at which the process began */
} File;

static bool read_name(const char *text, File *out) {
  char *end = NULL;
  if (strlen(text) <= RANDOM_NAME) return false;
  memcpy(out->name, text, RANDOM_NAME);
  out->name[RANDOM_NAME] = '\0';
  out->launch = -1;
  const char *rest = text + RANDOM_NAME;
  if (*rest == '-') out->launch = strtol(rest + 1, &end, 10);
  return random_is_name(out->name) && strcmp(end ? end : rest, ".json") == 0;
}

static int by_name(const void *pa, const void *pb) {
  const File *a = pa, *b = pb;
  const int order = strcmp(a->name, b->name);
  return order ? order : (a->launch > b->launch) - (a->launch < b->launch);
}

static int by_age(const void *pa, const void *pb) {
  const File *a = pa, *b = pb;
  return a->began == b->began ? by_name(a, b) : a->began < b->began ? -1 : 1;
}

/* Files of one process follow the process's own file, which contains its time of start. */
static void set_began(File *all, int count) {
  for (int i = 0; i < count; i++) {
    const bool own = all[i].launch < 0;
    if (own) all[i].began = yaml_number(all[i].root, "began");
    if (!own && i && strcmp(all[i].name, all[i - 1].name) == 0) all[i].began = all[i - 1].began;
  }
}

/* Reads the files in the order in which processes and launches began. */
static File *read_files(Reader *r, int *count) {
  Arena *a = r->arena;
  int capacity = 0;
  File *all = NULL;
  DIR *dir = opendir(r->scratch->folder);
  *count = 0;
  for (struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
    File file = {0};
    if (!read_name(e->d_name, &file)) continue;
    file.file = arena_printf(a, "%s", e->d_name);
    const char *path = scratch_file(a, r->scratch, file.file);
    if (file_is_regular(path)) file.root = yaml_read_report(a, diag_new(a), path, NULL);
    all = arena_grow(a, all, *count, &capacity, sizeof *all);
    all[(*count)++] = file;
  }
  if (dir) closedir(dir);
  if (!*count) return all;
  qsort(all, (size_t)*count, sizeof *all, by_name);
  set_began(all, *count);
  qsort(all, (size_t)*count, sizeof *all, by_age);
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

/* Counts a process once: it keeps its identity if it executes another program. */
static void count_process(Reader *r, const char *identity) {
  const int before = r->known.count;
  if (identity) add_name(&r->known, identity);
  r->out->processes += !identity || r->known.count > before;
}

static bool read_process(Reader *r, const Yaml *root) {
  const Yaml *host = yaml_get(root, "host");
  LintHostFinding f;
  if (!host) return false;
  r->processes++;
  count_process(r, yaml_text(root, "identity"));
  for (int i = 0; i < yaml_items(host); i++)
    if (lint_host_read(r->arena, host->item[i], &f)) add_host(r, &f);
  const Yaml *refused = yaml_get(root, "refused");
  if (refused && !yaml_is_null(refused) && !r->out->refused) r->out->refused = refused->text;
  add_names(&r->out->missing, yaml_get(root, "missing"));
  add_names(&r->out->unchecked_kernels, yaml_get(root, "unchecked"));
  add_names(&r->out->waiting, yaml_get(root, "waiting"));
  return true;
}

static void read_file(Reader *r, const File *f) {
  const Yaml *root = f->root;
  if (root && (f->launch < 0 ? read_process(r, root) : read_launch(r, root))) return;
  r->broken = f->file;
}

/* --- what is missing --- */

/* Compares the tally with the records. A process may be killed between counting and writing its
 * record, or may be unable to write it. */
static void compare(Reader *r, Tally *t) {
  ExecSession *s = r->out;
  const uint64_t processes = atomic_load(&t->processes), checked = atomic_load(&t->checked);
  s->unchecked = atomic_load(&t->unchecked);
  if (processes > r->processes) s->lost += processes - r->processes;
  if (checked > s->judged) s->lost += checked - s->judged;
  const uint64_t failures = atomic_load(&t->failures);
  if (s->lost < failures) s->lost = failures;
  if (r->broken && !s->lost) s->lost = 1;
  if (failures)
    s->why_lost = strerror(atomic_load(&t->error));
  else if (r->broken)
    s->why_lost = arena_printf(r->arena, "%s cannot be read", r->broken);
}

/* --- the whole --- */

bool exec_session_has_findings(const LintReport *launch) {
  return launch->finding_count || launch->note_count || launch->conflicts;
}

void exec_session_name(ExecSession *s, Arena *a, const Scratch *session, const char *root,
                       ExecStacks which) {
  if (which == EXEC_STACKS_NONE) return;
  const int most = s->count * (1 + LINT_STACKS) + s->host_count;
  LintStack **stack = ARENA_ARRAY(a, LintStack *, (size_t)most + 1);
  int count = 0;
  for (int i = 0; i < s->count; i++) {
    LintReport *one = &s->launch[i]->report;
    if (which != EXEC_STACKS_ALL && !exec_session_has_findings(one)) continue;
    stack[count++] = &one->from;
    for (int k = 0; k < one->also_from.count; k++) stack[count++] = &one->also_from.stack[k];
  }
  for (int i = 0; i < s->host_count; i++) stack[count++] = &s->host[i].from;
  if (count) exec_symbols(a, session, root, stack, count);
}

ExecSession exec_session_read(Arena *a, const Scratch *session, Tally *tally, const char *root) {
  int count;
  ExecSession out = {
      .missing = {.arena = a}, .unchecked_kernels = {.arena = a}, .waiting = {.arena = a}};
  Reader r = {.arena = a, .scratch = session, .folder = root, .out = &out, .known = {.arena = a}};
  const File *file = read_files(&r, &count);
  for (int i = 0; i < count; i++) read_file(&r, &file[i]);
  compare(&r, tally);
  return out;
}

void exec_session_drop_leaks(ExecSession *s) {
  int kept = 0;
  for (int i = 0; i < s->host_count; i++)
    if (s->host[i].kind != LINT_LEAK) s->host[kept++] = s->host[i];
  s->host_count = kept;
}
