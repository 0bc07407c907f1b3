/* compare_lint.h: compares two reports of --lint, line by line. */
#ifndef KGEN_COMMAND_COMPARE_LINT_H
#define KGEN_COMMAND_COMPARE_LINT_H

#include "base/yaml_tree.h"
#include "command/changes.h"

/* was, is: the values of "lint"; either may be NULL. Lines are the same if their file and text are;
 * of those that were edited, which stand at the same number; else one line stands for the next that
 * is left. Of each, conflicts, sectors above the ideal, and findings are compared. */
void compare_lint(Comparison *c, const Yaml *was, const Yaml *is);

/* A report of one launch as a list of it; a list as it is; NULL as an empty one. */
const Yaml *compare_launch_list(Arena *a, const Yaml *lint);
/* Of each launch in the list `is` the one in the list `was` that it is compared with, or NULL: by
 * name, kernel, sizes and file, then without the file, then named ones by name and kernel. The n-th
 * that is alike goes with the n-th. */
const Yaml **compare_launch_pairs(Arena *a, const Yaml *was, const Yaml *is);

/* What a launch is called in messages. */
const char *compare_launch_label(Arena *a, const Yaml *lint);

#endif
