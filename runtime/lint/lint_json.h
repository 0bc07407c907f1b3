/* lint_json.h: the report for programs. */
#ifndef KGEN_LINT_JSON_H
#define KGEN_LINT_JSON_H

#include "lint/lint_report.h"

void lint_json_put(Text *out, const LintReport *r);
/* That there is none: the exit code, and the messages line by line. */
void lint_json_refusal(Text *out, const char *file, const char *kernel, int exit_code,
                       const char *messages);

#endif
