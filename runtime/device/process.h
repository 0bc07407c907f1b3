/* SPDX-License-Identifier: MIT */
/* process.h: runs another program. */
#ifndef KGEN_DEVICE_PROCESS_H
#define KGEN_DEVICE_PROCESS_H

#include <sys/types.h>

#include "base/scratch.h"
#include "base/text.h"

/* Called at intervals while a program runs. */
typedef struct {
  void (*call)(void *context); /* NULL: nothing is called */
  void *context;
} ProcessWait;

/* The environment with changes, NULL-terminated: NAME=VALUE sets a variable, NAME alone removes
 * it. */
char **process_environment(Arena *a, const char *const *change);

/* Starts word[0], found in $PATH, with its NULL-terminated words, in the scratch directory, which
 * is also its $TMPDIR; its output goes to the file `log`. It leads a process group, so that its
 * children can be ended with it, and has the signal mask from before `scratch` was opened. Returns
 * 0, or an errno. */
int process_start(Arena *a, const char *const *word, const char *log, const Scratch *scratch,
                  pid_t *child);
/* Ends the program and its group. */
void process_stop(pid_t child);

/* Runs a program in this way until it ends. Returns its exit status; -1, with the reason in *why,
 * if it did not run or was stopped. A signal that `scratch` defers ends the program and its
 * children, and takes effect here when the scratch directory is closed. */
int process_run(Arena *a, const char *const *word, const char *log, const Scratch *scratch,
                ProcessWait wait, Text *why);

#endif
