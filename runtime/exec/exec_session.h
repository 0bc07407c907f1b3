/* exec_session.h: merges the reports of all processes of a program.
 *
 * A session's folder holds of each process PID.json, the process itself and what the host did
 * wrong, and PID-N.json, a report of equal launches. */
#ifndef KGEN_EXEC_EXEC_SESSION_H
#define KGEN_EXEC_EXEC_SESSION_H

#include "base/scratch.h"
#include "base/word_list.h"
#include "lint/report/host.h"
#include "lint/report/page.h"

typedef struct {
  LintReport report;
  LintPictures pictures; /* of --html; else NULL */
} ExecLaunch;

typedef struct {
  int processes;              /* that called CUDA */
  uint64_t judged, unchecked; /* launches */
  int count;
  ExecLaunch **launch; /* equal ones of all processes together, as they began */
  int host_count, capacity;
  LintHostFinding *host;
  WordList missing; /* functions of CUDA that kgen does not serve and the program called */
  WordList waiting; /* kernels that still waited for the host as the program ended them */
} ExecSession;

/* Files below `folder` are named from there on. A file that a crash left incomplete is skipped,
 * with a message in *why. */
ExecSession exec_session_read(Arena *a, const Scratch *session, const char *folder, Text *why);
void exec_session_drop_leaks(ExecSession *s);

#endif
