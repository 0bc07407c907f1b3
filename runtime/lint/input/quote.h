/* quote.h: the files that source lines are quoted from. PTX and #line may name any file, and
 * not every reader of a report may be allowed to read that file. */
#ifndef KGEN_LINT_INPUT_QUOTE_H
#define KGEN_LINT_INPUT_QUOTE_H

#include "base/arena.h"

typedef struct LintFiles LintFiles;

/* From the folders at `folder`, the CUDA Toolkit's headers, and, if the user `named` it, the folder
 * of `path`. If it is PTX that names it, that folder is the user's own, but nothing is quoted. */
LintFiles *lint_files_new(Arena *a, const char *path, bool named, const char *const *folder,
                          int folders);

/* A text that goes before the file of that path, as one's that is in memory alone; NULL: none. */
typedef const char *LintFilesText(const char *path);
void lint_files_before(LintFiles *f, LintFilesText *text);

/* The text of a regular file that lies in one of the folders, links followed, without a hidden
 * folder on its way; else NULL. The root of the file system counts as no folder. */
const char *lint_files_text(LintFiles *f, const char *path);

/* Whether a file lies in one of the user's folders, or in memory: not among the toolkit's
 * headers. */
bool lint_files_own(LintFiles *f, const char *path);

#endif
