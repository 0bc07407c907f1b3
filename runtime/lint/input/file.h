/* SPDX-License-Identifier: MIT */
/* file.h: lint.yaml: a source, and the launches of its kernels
 * [docs/reference/arguments-and-lint-yaml.md]. */
#ifndef KGEN_LINT_INPUT_FILE_H
#define KGEN_LINT_INPUT_FILE_H

#include "lint/input/args.h"

/* The name of the file in a saved launch's directory. */
#define LINT_FILE_NAME "lint.yaml"

/* One launch, with the options that the command line would have had. */
typedef struct {
  Options options;
  LintLaunch launch;
  bool chosen; /* by --kernel, or a chosen launch begins early after it */
} LintFileLaunch;

typedef struct {
  const char *path; /* path of the lint.yaml */
  int launches;
  LintFileLaunch *launch;
} LintFile;

/* The JSON Schema of such a file. */
void lint_file_schema(Text *out);

/* The lint.yaml that `path` names: itself, by its ending, or the one in a directory; NULL:
 * neither. */
const char *lint_file_path(Arena *a, const char *path);

/* The first subdirectory of `path`, by name, that has a lint.yaml, as --exec --save creates for
 * each launch; NULL: none. */
const char *lint_file_within(Arena *a, const char *path);

/* Reads it for the options of the command line; --kernel chooses among its launches. False with the
 * errors in d. */
bool lint_file_read(Arena *a, Diag *d, const char *path, const Options *o, LintFile *out);

#endif
