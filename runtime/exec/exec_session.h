/* SPDX-License-Identifier: MIT */
/* exec_session.h: merges the reports of all processes of a program.
 *
 * A session's directory contains, per process, NAME.json with the process and the findings in host
 * code, and NAME-N.json with the report of one set of equal launches. NAME is random. */
#ifndef KGEN_EXEC_EXEC_SESSION_H
#define KGEN_EXEC_EXEC_SESSION_H

#include "base/scratch.h"
#include "base/word_list.h"
#include "device/tally.h"
#include "lint/report/host.h"
#include "lint/report/page.h"

typedef struct {
  LintReport report;
  LintPictures pictures; /* for --html; else NULL */
} ExecLaunch;

typedef struct {
  int processes;              /* number of processes that called CUDA */
  uint64_t judged, unchecked; /* number of launches */
  uint64_t lost;              /* number of launches and processes without records */
  const char *why_lost;       /* the reason, or NULL if it is unknown */
  int count;
  ExecLaunch **launch; /* equal launches of all processes merged, in order of start */
  int host_count, capacity;
  LintHostFinding *host;
  WordList missing;           /* unsupported CUDA functions that the program called */
  const char *refused;        /* contents of a module that could not be loaded, or NULL */
  WordList unchecked_kernels; /* some of the kernels that ran unchecked */
  WordList waiting;           /* kernels that were waiting for the host when the program ended */
} ExecSession;

/* Names of files below the directory `root` are relative to it. Launches that the tally counts but
 * no file describes are lost. */
ExecSession exec_session_read(Arena *a, const Scratch *session, Tally *tally, const char *root);
/* True if the report of the launch contains more than counts. */
bool exec_session_has_findings(const LintReport *launch);
/* The call stacks that a report shows. OF_FINDINGS includes launches with findings. */
typedef enum { EXEC_STACKS_NONE, EXEC_STACKS_OF_FINDINGS, EXEC_STACKS_ALL } ExecStacks;
/* Resolves functions and source lines of these call stacks with addr2line. Names of files below the
 * directory `root` are relative to it. */
void exec_session_name(ExecSession *s, Arena *a, const Scratch *session, const char *root,
                       ExecStacks which);
void exec_session_drop_leaks(ExecSession *s);

#endif
