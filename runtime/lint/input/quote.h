/* SPDX-License-Identifier: MIT */
/* quote.h: the files from which source lines may be quoted. PTX and #line may name any file, and
 * readers of a report may not be allowed to read it. */
#ifndef KGEN_LINT_INPUT_QUOTE_H
#define KGEN_LINT_INPUT_QUOTE_H

#include "base/arena.h"

typedef struct LintFiles LintFiles;

/* Allows the given directories, the CUDA Toolkit's headers and, if the user `named` it, the
 * directory of `path`. If only PTX names `path`, its directory counts as the user's own, but
 * nothing is quoted from it. */
LintFiles *lint_files_new(Arena *a, const char *path, bool named, const char *const *folder,
                          int folders);

/* Returns the text for a path that exists only in memory; it takes precedence over a file. NULL:
 * there is none. */
typedef const char *LintFilesText(const char *path);
void lint_files_before(LintFiles *f, LintFilesText *text);

/* The text of a regular file within an allowed directory, with links resolved and without a hidden
 * directory on its path; else NULL. The root of the file system is never an allowed directory. */
const char *lint_files_text(LintFiles *f, const char *path);

/* True if a file is in one of the user's directories, or only in memory; false for the toolkit's
 * headers. */
bool lint_files_own(LintFiles *f, const char *path);

#endif
