/* lint_json.h: the report for programs. */
#ifndef KGEN_LINT_JSON_H
#define KGEN_LINT_JSON_H

#include "lint/lint_report.h"

void lint_json_put(Text *out, const LintReport *r);

#endif
