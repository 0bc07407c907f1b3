/* SPDX-License-Identifier: MIT */
/* read.h: reads a report back. */
#ifndef KGEN_LINT_REPORT_READ_H
#define KGEN_LINT_REPORT_READ_H

#include "base/yaml_tree.h"
#include "lint/report/record.h"

/* lint: an object of lint_json_put(); more: the keys of lint_json_put_more(). Source lines are the
 * quoted ones. Files below the given directory (NULL: none) are named relative to it. False if it
 * is not a report of a launch. */
bool lint_read(Arena *a, const Yaml *lint, const Yaml *more, const char *folder, LintReport *out);

#endif
