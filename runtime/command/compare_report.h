/* SPDX-License-Identifier: MIT */
/* compare_report.h: kgen --compare: prints the changes between two reports as a table, JSON, CSV or
 * Markdown. */
#ifndef KGEN_COMMAND_COMPARE_REPORT_H
#define KGEN_COMMAND_COMPARE_REPORT_H

#include "command/changes.h"
#include "command/options.h"

/* Returns the exit code: 1 if something got worse. */
int compare_command(Arena *a, const Options *o, Text *data, Text *messages, Diag *diag);

#endif
