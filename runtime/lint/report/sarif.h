/* sarif.h: a report of --lint as SARIF. */
#ifndef KGEN_LINT_REPORT_SARIF_H
#define KGEN_LINT_REPORT_SARIF_H

#include "command/changes.h"
#include "command/sarif.h"
#include "lint/report/host.h"
#include "lint/report/record.h"

/* Findings are errors, conflicts warnings, wasted sectors notes. */
Sarif lint_sarif(Arena *a, const char *category, const LintReport *r);
/* A log of several reports: begun with its name, then added one by one. */
Sarif lint_sarif_begin(Arena *a, const char *category);
void lint_sarif_add(Sarif *out, const LintReport *r);
/* Says of each result so far whether the baseline had it. */
void lint_sarif_compare(Sarif *log, const Comparison *baseline);
/* Adds a result of the host's code: `at` is the call in the program's own source. */
void lint_sarif_host(Sarif *out, const LintHostFinding *f);
/* For a kernel that was not checked: why, one line each. */
Sarif lint_sarif_refusal(Arena *a, const char *category, const char *messages);
/* Names a launch of the command line: its file, kernel (as given, or NULL), sizes and arguments,
 * without what fills them. Logs with different names can be uploaded together. */
const char *lint_sarif_category(Arena *a, const Options *o, const char *kernel);

#endif
