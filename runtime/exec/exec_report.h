/* SPDX-License-Identifier: MIT */
/* exec_report.h: reports on a program's launches and its host code. */
#ifndef KGEN_EXEC_EXEC_REPORT_H
#define KGEN_EXEC_EXEC_REPORT_H

#include "command/options.h"
#include "exec/exec_session.h"

typedef struct {
  const Options *options;
  const char *program;
  int status; /* exit status of the program */
  const ExecSession *session;
} ExecReport;

/* The number of findings in device and host code, counting each location and cause once; and the
 * number of conflicts of all launches. */
uint64_t exec_report_findings(const ExecReport *r);
uint64_t exec_report_conflicts(const ExecReport *r);

/* Prints one line per clean kernel and the whole report of the others; with -v, all whole
 * reports. */
void exec_report_text(const ExecReport *r, Text *out, bool color);
void exec_report_json(const ExecReport *r, Text *out);
void exec_report_markdown(const ExecReport *r, Text *out);
/* The JSON of the HTML report. */
const char *exec_report_page(Arena *a, const ExecReport *r);

#endif
