/* exec_report.h: reports on a program's launches and its host code. */
#ifndef KGEN_EXEC_EXEC_REPORT_H
#define KGEN_EXEC_EXEC_REPORT_H

#include "command/options.h"
#include "exec/exec_session.h"

typedef struct {
  const Options *options;
  const char *program;
  int status; /* the program's own */
  const ExecSession *session;
} ExecReport;

/* Findings of device and host, each place and cause once; and conflicts of all launches. */
uint64_t exec_report_findings(const ExecReport *r);
uint64_t exec_report_conflicts(const ExecReport *r);

/* Clean kernels take one line, the others their whole report; with -v all have theirs. */
void exec_report_text(const ExecReport *r, Text *out, bool color);
void exec_report_json(const ExecReport *r, Text *out);
void exec_report_markdown(const ExecReport *r, Text *out);
/* The data of --html's page. */
const char *exec_report_page(Arena *a, const ExecReport *r);

#endif
