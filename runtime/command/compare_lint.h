/* SPDX-License-Identifier: MIT */
/* compare_lint.h: compares two reports of --lint, line by line. */
#ifndef KGEN_COMMAND_COMPARE_LINT_H
#define KGEN_COMMAND_COMPARE_LINT_H

#include "base/yaml_tree.h"
#include "command/changes.h"

/* Compares the values of "lint" in two reports; either may be NULL. Lines of one file are matched
 * by their text, then (if they were edited) by their number; the lines that are left are matched in
 * order. Compares conflicts, sectors above the ideal, and findings of each pair. */
void compare_lint(Comparison *c, const Yaml *was, const Yaml *is);

/* Returns a list of launches: a list unchanged, a single launch as a list of one, NULL as an empty
 * list. */
const Yaml *compare_launch_list(Arena *a, const Yaml *lint);
/* For each launch in `is`, the launch in `was` that it is compared with, or NULL. Matches launches
 * by name, kernel, sizes and file, then without the file; named launches then by name and kernel
 * alone. Of several equal launches, the n-th is matched with the n-th. */
const Yaml **compare_launch_pairs(Arena *a, const Yaml *was, const Yaml *is);

/* The name of a launch in messages. */
const char *compare_launch_label(Arena *a, const Yaml *lint);

#endif
