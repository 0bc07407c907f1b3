/* SPDX-License-Identifier: MIT */
/* report.h: results as a table for people, and as CSV. */
#ifndef KGEN_COMMAND_REPORT_H
#define KGEN_COMMAND_REPORT_H

#include "judge/run.h"

/* runs: one per item, or NULL if nothing was compiled. */
void report_table(Text *out, const Batch *b, const Run *runs);
/* The same tables in Markdown. */
void report_markdown(Text *out, const Batch *b, const Run *runs);
/* Writes a line of names, then one line per spec; values that were not measured are empty. */
void report_csv(Text *out, const Batch *b, const Run *runs);
/* Parts of report_csv() without line ends: the names, and the cells of item i. */
void report_csv_names(Text *out);
void report_csv_cells(Text *out, const Batch *b, const Run *runs, int i);

#endif
