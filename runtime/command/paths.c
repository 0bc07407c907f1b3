/* SPDX-License-Identifier: MIT */
#include "command/paths.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

/* DIR/../share/kgen for the command in DIR: the data of an installation, even if it was moved as a
 * whole. */
static const char *beside_command(Arena *a) {
  const char *folder = folder_of_command(a);
  return folder ? arena_printf(a, "%s/../share/kgen", folder) : NULL;
}

static bool exists(Arena *a, const char *folder, const char *name) {
  return access(arena_printf(a, "%s/%s", folder, name), R_OK) == 0;
}

/* The first of ./NAME, the installed and the source directory that contains `probe`. */
static const char *find_data(Arena *a, const char *name, const char *source, const char *probe) {
  const char *beside = beside_command(a);
  const char *const candidate[] = {name, beside ? arena_printf(a, "%s/%s", beside, name) : NULL,
                                   source, arena_printf(a, "%s/%s", KGEN_INSTALLED_DATA, name)};
  for (size_t i = 0; i < sizeof candidate / sizeof *candidate; i++)
    if (candidate[i] && exists(a, candidate[i], probe)) return candidate[i];
  return NULL;
}

const char *paths_templates(Arena *a, const char *given, Diag *diag) {
  const char *env = getenv("KGEN_TEMPLATES");
  if (!given && env && *env) given = arena_strndup(a, env, strlen(env));
  const char *found = given && exists(a, given, "layout.h") ? given : NULL;
  if (!given) found = find_data(a, "templates", KGEN_SOURCE_TEMPLATES, "layout.h");
  if (!found)
    diag_say(diag, DIAG_ARGUMENT, "%s holds no templates: give --templates DIR",
             given ? given : "no folder");
  return found;
}

const char *paths_wisdom(Arena *a) {
  const char *beside = beside_command(a);
  const char *const folder[] = {beside ? arena_printf(a, "%s/wisdom", beside) : NULL,
                                KGEN_SOURCE_WISDOM, KGEN_INSTALLED_DATA "/wisdom"};
  for (size_t i = 0; i < sizeof folder / sizeof *folder; i++)
    if (folder[i] && access(folder[i], R_OK) == 0) return folder[i];
  return NULL;
}

const char *paths_schema(Arena *a) {
  static const char name[] = "kgen-spec.schema.json";
  const char *const folder[] = {folder_of_command(a), beside_command(a), KGEN_INSTALLED_DATA};
  for (size_t i = 0; i < sizeof folder / sizeof *folder; i++) {
    char path[PATH_MAX];
    if (!folder[i] || !exists(a, folder[i], name)) continue;
    if (realpath(arena_printf(a, "%s/%s", folder[i], name), path))
      return arena_printf(a, "%s", path);
  }
  return NULL;
}

static const char *last_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* True if both paths lead to one file under one name; the file name names a spec that has no
 * `name:`. */
static bool is_same(const char *x, const char *y) {
  struct stat a, b;
  return strcmp(last_name(x), last_name(y)) == 0 && stat(x, &a) == 0 && stat(y, &b) == 0 &&
         a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* A spec that is named twice, perhaps through its directory, is added once. */
static void add(Arena *a, Paths *p, int *capacity, const char *path) {
  for (int i = 0; i < p->count; i++)
    if (is_same(p->path[i], path)) return;
  p->path = arena_grow(a, p->path, p->count, capacity, sizeof *p->path);
  p->path[p->count++] = path;
}

static bool is_spec(const char *name) { return name[0] != '.' && text_ends_with(name, ".yaml"); }

static bool add_folder(Arena *a, Paths *p, int *capacity, const char *folder, Diag *diag) {
  const int before = p->count;
  bool any = false;
  DIR *dir = opendir(folder);
  for (struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
    if (!is_spec(e->d_name)) continue;
    add(a, p, capacity, arena_printf(a, "%s/%s", folder, e->d_name));
    any = true;
  }
  if (dir) closedir(dir);
  if (!any) diag_say(diag, DIAG_ARGUMENT, "%s holds no *.yaml", folder);
  if (p->count > before)
    qsort(p->path + before, (size_t)(p->count - before), sizeof *p->path, text_compare);
  return any;
}

/* A file for kgen lint. */
static bool is_cuda(const char *path) {
  static const char *const end[] = {".cu", ".cuh", ".ptx", ".cubin", ".fatbin"};
  for (size_t i = 0; i < sizeof end / sizeof *end; i++)
    if (text_ends_with(path, end[i])) return true;
  return false;
}

Paths paths_specs(Arena *a, int args, const char *const *arg, Diag *diag) {
  Paths p = {0};
  int capacity = 0;
  const char *all = args ? NULL : find_data(a, "specs", KGEN_SOURCE_SPECS, ".");
  if (!args && !all) diag_say(diag, DIAG_ARGUMENT, "no SPEC given, and there is no specs/ here");
  bool ok = args || (all && add_folder(a, &p, &capacity, all, diag));
  for (int i = 0; i < args; i++) {
    if (strcmp(arg[i], "-") == 0)
      add(a, &p, &capacity, "/dev/stdin"); /* a file with that name is written ./- */
    else if (folder_exists(arg[i]))
      ok = add_folder(a, &p, &capacity, arg[i], diag) && ok;
    else if (is_cuda(arg[i])) {
      diag_say(diag, DIAG_ARGUMENT, "%s is no spec: kgen lint %s checks a kernel", arg[i], arg[i]);
      ok = false;
    } else
      add(a, &p, &capacity, arg[i]); /* spec_read() reports a file that cannot be read */
  }
  if (!ok) p.count = 0;
  return p;
}
