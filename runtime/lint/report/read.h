/* read.h: a report that was written down, read back. */
#ifndef KGEN_LINT_REPORT_READ_H
#define KGEN_LINT_REPORT_READ_H

#include "base/yaml_tree.h"
#include "lint/report/record.h"

/* lint: the object that lint_json_put writes; more: the keys of lint_json_put_more. Source lines
 * are the quoted ones. Files below that directory (NULL: none) are named relative to it. False if
 * it is no report of a launch. */
bool lint_read(Arena *a, const Yaml *lint, const Yaml *more, const char *folder, LintReport *out);

#endif
