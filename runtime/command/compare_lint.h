/* compare_lint.h: compares two reports of --lint, line by line. */
#ifndef KGEN_COMPARE_LINT_H
#define KGEN_COMPARE_LINT_H

#include "base/yaml_tree.h"
#include "command/changes.h"

/* was, is: the values of "lint"; either may be NULL. Lines are the same if their file and text are;
 * of those that were edited, which stand at the same number; else one line stands for the next that
 * is left. Of each, conflicts, sectors above the ideal, and findings are compared. */
void compare_lint(Comparison *c, const Yaml *was, const Yaml *is);

#endif
