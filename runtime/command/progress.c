/* SPDX-License-Identifier: MIT */
#include "command/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "device/clock.h"

enum { FIRST_MS = 2000, EVERY_MS = 500, MINUTES_FROM = 120 };

void progress_start(Progress *p, bool shows) {
  *p = (Progress){.start_ms = clock_ms(), .shows = shows};
}

const char *progress_left(Arena *a, double seconds, int64_t done, int64_t all) {
  if (done <= 0 || all <= done || seconds * 1000 < FIRST_MS) return "";
  const double left = seconds / (double)done * (double)(all - done);
  if (left >= MINUTES_FROM) return arena_printf(a, ", about %.0f min left", left / 60);
  return arena_printf(a, ", about %.0f s left", left < 1 ? 1 : left);
}

const char *progress_left_of(Arena *a, const Progress *p, int64_t done, int64_t all) {
  return p->shows ? progress_left(a, (clock_ms() - p->start_ms) / 1000, done, all) : "";
}

void progress_show(const char *line) {
  enum { USUAL = 80 };
  struct winsize w;
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 0;
  fprintf(stderr, "\r%.*s\033[K", (known ? w.ws_col : USUAL) - 1, line);
}

void progress_tell(Progress *p, const char *what, int64_t done, int64_t all) {
  const double now = p ? clock_ms() : 0;
  if (!p || !p->shows || now - p->start_ms < FIRST_MS || now - p->told_ms < EVERY_MS) return;
  Arena *a = arena_new();
  const double seconds = (now - p->start_ms) / 1000;
  p->told_ms = now;
  progress_show(all > 0 ? arena_printf(a, "%s %" PRId64 " of %" PRId64 ", %.0f s%s", what, done,
                                       all, seconds, progress_left(a, seconds, done, all))
                        : arena_printf(a, "%s, %.0f s", what, seconds));
  arena_free(a);
}

void progress_end(Progress *p) {
  if (p->told_ms > 0) progress_show("");
  p->told_ms = 0;
}
