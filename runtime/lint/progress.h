/* SPDX-License-Identifier: MIT */
/* progress.h: shows the progress of a launch on a terminal, and ends the launch at its time
 * limit. */
#ifndef KGEN_LINT_PROGRESS_H
#define KGEN_LINT_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
  pthread_mutex_t lock; /* the emulator calls from all of its threads */
  double start_ms, told_ms;
  double limit_s; /* time limit; negative: none */
  bool shows;
} LintProgress;

/* shows: print the progress on stderr, once the launch takes longer than two seconds. */
void lint_progress_start(LintProgress *p, double limit_s, bool shows);
/* An EmuProgress; the context is the LintProgress. */
bool lint_progress_next(void *progress, uint64_t begun, uint64_t blocks);
/* Clears the line. */
void lint_progress_end(LintProgress *p);

#endif
