/* SPDX-License-Identifier: MIT */
/* shipped.h: the specs that the project ships, for tests that go through all of them. */
#ifndef KGEN_TESTS_SHIPPED_H
#define KGEN_TESTS_SHIPPED_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit/render.h"
#include "spec/spec_read.h"

#define SPEC_DIR     KGEN_SOURCE_DIR "/specs"
#define TEMPLATE_DIR KGEN_SOURCE_DIR "/templates"

static int shipped_by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Paths of directory/NAME.suffix in the order of their names. */
static inline int shipped_files(Arena *a, const char *folder, const char *suffix, char **path,
                                int room) {
  int count = 0;
  DIR *dir = opendir(folder);
  for (const struct dirent *e; dir && (e = readdir(dir)) && count < room;) {
    const size_t n = strlen(e->d_name), end = strlen(suffix);
    if (n > end && strcmp(e->d_name + n - end, suffix) == 0)
      path[count++] = arena_printf(a, "%s/%s", folder, e->d_name);
  }
  if (dir) closedir(dir);
  qsort(path, (size_t)count, sizeof *path, shipped_by_name);
  return count;
}

/* Paths of specs/NAME.yaml. */
static inline int shipped_specs(Arena *a, char **path, int room) {
  return shipped_files(a, SPEC_DIR, ".yaml", path, room);
}

/* Reads and plans one spec; on an error prints it and returns NULL. */
static inline const Plan *shipped_plan(Arena *a, const char *path, const Want *want) {
  const SpecOptions options = {.templates = templates_open(a, TEMPLATE_DIR), .want = want};
  Diag *d = diag_new(a);
  const Spec *spec = spec_read(a, d, path, &options);
  const Plan *plan = spec ? plan_make(a, d, spec) : NULL;
  if (!plan) {
    Text t = text_new(a);
    diag_print(d, &t, false);
    fputs(t.s, stderr);
  }
  return plan;
}

/* Renders a plan; on a template's error prints it, and .text is NULL. */
static inline Rendered shipped_render(Arena *a, const Plan *plan) {
  Diag *d = diag_new(a);
  const Rendered r = render_plan(a, d, plan, templates_open(a, TEMPLATE_DIR));
  if (!r.text) {
    Text t = text_new(a);
    diag_print(d, &t, false);
    fputs(t.s, stderr);
  }
  return r;
}

#endif
