/* SPDX-License-Identifier: MIT */
/* sarif.h: converts a report of --lint to SARIF. */
#ifndef KGEN_LINT_REPORT_SARIF_H
#define KGEN_LINT_REPORT_SARIF_H

#include "command/changes.h"
#include "command/sarif.h"
#include "lint/report/host.h"
#include "lint/report/record.h"

/* Findings are errors, conflicts warnings, wasted sectors notes. */
Sarif lint_sarif(Arena *a, const char *category, const LintReport *r);
/* Begins a log for several reports, which are then added one by one. */
Sarif lint_sarif_begin(Arena *a, const char *category);
void lint_sarif_add(Sarif *out, const LintReport *r);
/* Sets for each result so far whether it is in the baseline. */
void lint_sarif_compare(Sarif *log, const Comparison *baseline);
/* Adds a result of host code; `at` is the call in the program's own source. */
void lint_sarif_host(Sarif *out, const LintHostFinding *f);
/* The log for a kernel that was not checked: the reasons, one per line. */
Sarif lint_sarif_refusal(Arena *a, const char *category, const char *messages);
/* The category of a launch on the command line: its file, kernel (as given, or NULL), sizes and
 * arguments without their fills. Logs with different categories can be uploaded together. */
const char *lint_sarif_category(Arena *a, const Options *o, const char *kernel);

#endif
