/* SPDX-License-Identifier: MIT */
/* progress.h: shows the progress of long work and the remaining time on one line of a terminal,
 * from two seconds on. */
#ifndef KGEN_COMMAND_PROGRESS_H
#define KGEN_COMMAND_PROGRESS_H

#include "base/arena.h"

typedef struct {
  double start_ms, told_ms; /* told_ms: the last update; 0: the line is empty */
  bool shows;
} Progress;

/* shows: true if stderr is a terminal and -q is not given. */
void progress_start(Progress *p, bool shows);
/* Shows that `done` of `all` of `what` is complete, at most twice a second; all = 0: unknown. p may
 * be NULL. */
void progress_tell(Progress *p, const char *what, int64_t done, int64_t all);
/* Clears the line. */
void progress_end(Progress *p);

/* Replaces the last line shown on the terminal; "" clears it. Cuts the line at the terminal's
 * width: a wrapped line could not be replaced. */
void progress_show(const char *line);

/* ", about 40 s left": extrapolates from `done` units in `seconds`; "" if that is not possible
 * yet. */
const char *progress_left(Arena *a, double seconds, int64_t done, int64_t all);
/* Like progress_left(), for work that began with p; "" if p is not shown. */
const char *progress_left_of(Arena *a, const Progress *p, int64_t done, int64_t all);

#endif
