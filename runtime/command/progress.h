/* progress.h: progress of long work and the time that remains: a line on a terminal that is
 * rewritten, after the first two seconds. */
#ifndef KGEN_COMMAND_PROGRESS_H
#define KGEN_COMMAND_PROGRESS_H

#include "base/arena.h"

typedef struct {
  double start_ms, told_ms; /* told_ms 0: the line is empty */
  bool shows;
} Progress;

/* shows: where somebody looks. */
void progress_start(Progress *p, bool shows);
/* Shows, at most twice a second, how much of `what` is done; all 0: unknown. p may be NULL. */
void progress_tell(Progress *p, const char *what, int64_t done, int64_t all);
/* Clears the line. */
void progress_end(Progress *p);

/* Shows a line on the terminal in place of the last one; "" clears it. What the terminal has no
 * column for is cut: it would begin another line, which the next one could not replace. */
void progress_show(const char *line);

/* ", about 40 s left", or "" where nothing can be said yet: of `done` that took so long. */
const char *progress_left(Arena *a, double seconds, int64_t done, int64_t all);
/* The same of work that began with p, where somebody looks. */
const char *progress_left_of(Arena *a, const Progress *p, int64_t done, int64_t all);

#endif
