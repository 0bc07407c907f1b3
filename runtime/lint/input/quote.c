/* SPDX-License-Identifier: MIT */
#include "lint/input/quote.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "device/library.h"

enum { MAX_SOURCE = 64 << 20 };

/* A file that was requested. */
typedef struct File {
  struct File *next;
  const char *path;
  const char *real; /* path without links; NULL: it must not be quoted */
  const char *text; /* NULL: not read yet */
  bool own, read;
} File;

struct LintFiles {
  Arena *arena;
  int roots, own; /* number of all directories, and of the user's directories, which come first */
  int unquoted;   /* number of leading directories from which nothing is quoted */
  const char **root; /* paths without links and trailing slash */
  File *files;
  LintFilesText *before; /* returns texts that exist only in memory; NULL: there are only files */
};

/* --- directories --- */

/* The path without links; NULL if it does not exist. */
static const char *resolve(Arena *a, const char *path) {
  char *real = realpath(path, NULL);
  const char *copy = real ? arena_printf(a, "%s", real) : NULL;
  free(real);
  return copy;
}

static void add_root(LintFiles *f, const char *folder) {
  const char *real = folder ? resolve(f->arena, folder) : NULL;
  if (real && strcmp(real, "/") != 0) f->root[f->roots++] = real;
}

/* The directory of a file, with links resolved. */
static const char *folder_of(Arena *a, const char *path) {
  const char *real = path ? resolve(a, path) : NULL;
  return real ? path_folder(a, real) : NULL;
}

LintFiles *lint_files_new(Arena *a, const char *path, bool named, const char *const *folder,
                          int folders) {
  LintFiles *f = ARENA_NEW(a, LintFiles);
  *f = (LintFiles){.arena = a, .root = ARENA_ARRAY(a, const char *, (size_t)folders + 2)};
  add_root(f, folder_of(a, path));
  if (!named) f->unquoted = f->roots;
  for (int i = 0; i < folders; i++) add_root(f, folder[i]);
  f->own = f->roots;
  add_root(f, folder_of(a, library_toolkit_file(a, "include/cuda_fp16.h")));
  return f;
}

/* --- files --- */

static bool is_within(const char *real, const char *root) {
  const size_t n = strlen(root);
  return strncmp(real, root, n) == 0 && real[n] == '/' && !strstr(real + n, "/.");
}

/* True if the file is in one of the roots from `first` up to `end`. */
static bool is_in_roots(const LintFiles *f, const char *real, int first, int end) {
  for (int i = first; real && i < end; i++)
    if (is_within(real, f->root[i])) return true;
  return false;
}

void lint_files_before(LintFiles *f, LintFilesText *text) { f->before = text; }

static void look_up(const LintFiles *f, File *file) {
  file->text = f->before ? f->before(file->path) : NULL;
  file->own = file->read = file->text != NULL;
  if (file->text) return;
  const char *real = resolve(f->arena, file->path);
  file->own = is_in_roots(f, real, 0, f->own);
  if (is_in_roots(f, real, f->unquoted, f->roots) && file_is_regular(real)) file->real = real;
}

/* Finds the file; each path is resolved once. */
static File *file_named(LintFiles *f, const char *path) {
  for (File *file = f->files; file; file = file->next)
    if (strcmp(file->path, path) == 0) return file;
  File *file = ARENA_NEW(f->arena, File);
  *file = (File){.next = f->files, .path = path};
  look_up(f, file);
  return f->files = file;
}

const char *lint_files_text(LintFiles *f, const char *path) {
  size_t size;
  File *file = file_named(f, path);
  if (file->real && !file->read) file->text = file_read(f->arena, file->real, MAX_SOURCE, &size);
  file->read = true;
  return file->text;
}

bool lint_files_own(LintFiles *f, const char *path) { return file_named(f, path)->own; }
