/* SPDX-License-Identifier: MIT */
/* text.h: the report for people, at most 100 columns wide except for long names. */
#ifndef KGEN_LINT_REPORT_TEXT_H
#define KGEN_LINT_REPORT_TEXT_H

#include "lint/report/record.h"

void lint_text_put(Text *out, const LintReport *r, bool color);

#endif
