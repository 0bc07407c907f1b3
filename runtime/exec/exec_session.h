/* exec_session.h: merges the reports of all processes of a program.
 *
 * A session's directory holds of each process NAME.json, the process itself and what the host did
 * wrong, and NAME-N.json, a report of equal launches. NAME is random. */
#ifndef KGEN_EXEC_EXEC_SESSION_H
#define KGEN_EXEC_EXEC_SESSION_H

#include "base/scratch.h"
#include "base/word_list.h"
#include "device/tally.h"
#include "lint/report/host.h"
#include "lint/report/page.h"

typedef struct {
  LintReport report;
  LintPictures pictures; /* of --html; else NULL */
} ExecLaunch;

typedef struct {
  int processes;              /* that called CUDA */
  uint64_t judged, unchecked; /* launches */
  uint64_t lost;              /* launches and processes whose records are not there */
  const char *why_lost;       /* or NULL: nothing is known */
  int count;
  ExecLaunch **launch; /* equal ones of all processes together, as they began */
  int host_count, capacity;
  LintHostFinding *host;
  WordList missing;    /* functions of CUDA that kgen does not serve and the program called */
  const char *refused; /* what a module that could not be loaded holds, or NULL */
  WordList unchecked_kernels; /* kernels that ran unchecked, some of them */
  WordList waiting;           /* kernels that still waited for the host as the program ended them */
} ExecSession;

/* Names of files below the directory `root` are relative to it. What the tally has and the files do
 * not is lost. */
ExecSession exec_session_read(Arena *a, const Scratch *session, Tally *tally, const char *root);
/* True if the report of the launch has more than counts. */
bool exec_session_has_findings(const LintReport *launch);
/* Call stacks that a report shows. OF_FINDINGS includes launches with findings. */
typedef enum { EXEC_STACKS_NONE, EXEC_STACKS_OF_FINDINGS, EXEC_STACKS_ALL } ExecStacks;
/* Gives the frames of these call stacks their functions and source lines, by addr2line. Names of
 * files below the directory `root` are relative to it. */
void exec_session_name(ExecSession *s, Arena *a, const Scratch *session, const char *root,
                       ExecStacks which);
void exec_session_drop_leaks(ExecSession *s);

#endif
