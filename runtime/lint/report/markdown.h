/* SPDX-License-Identifier: MIT */
/* markdown.h: writes a report of --lint as Markdown tables. */
#ifndef KGEN_LINT_REPORT_MARKDOWN_H
#define KGEN_LINT_REPORT_MARKDOWN_H

#include "lint/report/record.h"

void lint_markdown_put(Text *out, const LintReport *r);

#endif
