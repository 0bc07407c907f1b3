/* SPDX-License-Identifier: MIT */
#include "spec/templates.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "spec/names.h"

enum { MAX_KERNELS = 256, MAX_BYTES = 1 << 20 };

/* A file that was read; root: the parsed declaration, if it is one. */
typedef struct Entry {
  struct Entry *next;
  const char *name;
  const Source *source;
  const Yaml *root;
} Entry;

struct Templates {
  Arena *arena;
  const char *dir;
  Entry *entries;
  const char **kernel; /* NULL until the directory is listed */
  int kernels;
};

Templates *templates_open(Arena *a, const char *dir) {
  if (!dir) return NULL;
  Templates *t = ARENA_NEW(a, Templates);
  *t = (Templates){.arena = a, .dir = arena_strndup(a, dir, strlen(dir))};
  return t;
}

const char *templates_dir(const Templates *t) { return t->dir; }

int templates_kernels(Templates *t, const char *const **names) {
  DIR *dir = t->kernel ? NULL : opendir(t->dir);
  if (!t->kernel) t->kernel = ARENA_ARRAY(t->arena, const char *, MAX_KERNELS);
  for (const struct dirent *e; dir && t->kernels < MAX_KERNELS && (e = readdir(dir));) {
    if (!text_ends_with(e->d_name, ".yaml")) continue;
    const char *name = arena_strndup(t->arena, e->d_name, strlen(e->d_name) - strlen(".yaml"));
    if (is_identifier(name)) t->kernel[t->kernels++] = name;
  }
  if (dir) closedir(dir);
  if (dir) qsort(t->kernel, (size_t)t->kernels, sizeof *t->kernel, text_compare);
  *names = t->kernel;
  return t->kernels;
}

static Entry *find_entry(const Templates *t, const char *name) {
  Entry *e = t->entries;
  while (e && strcmp(e->name, name) != 0) e = e->next;
  return e;
}

static Entry *add_entry(Templates *t, const char *name, const Source *source) {
  Entry *e = ARENA_NEW(t->arena, Entry);
  *e = (Entry){t->entries, arena_strndup(t->arena, name, strlen(name)), source, NULL};
  t->entries = e;
  return e;
}

const Source *templates_file(Templates *t, const char *name) {
  const Entry *known = find_entry(t, name);
  if (known) return known->source;
  Source *s = ARENA_NEW(t->arena, Source);
  s->path = arena_printf(t->arena, "%s/%s", t->dir, name);
  s->text = file_read(t->arena, s->path, MAX_BYTES, &s->len);
  return s->text ? add_entry(t, name, s)->source : NULL;
}

const Yaml *templates_declaration(Templates *t, Diag *d, const char *kernel) {
  const char *name = arena_printf(t->arena, "%s.yaml", kernel);
  const Entry *known = find_entry(t, name);
  if (known) return known->root;
  const Yaml *root = yaml_read(t->arena, d, arena_printf(t->arena, "%s/%s", t->dir, name), NULL);
  if (root) add_entry(t, name, root->loc.source)->root = root;
  return root;
}
