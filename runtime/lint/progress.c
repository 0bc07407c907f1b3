/* SPDX-License-Identifier: MIT */
#include "lint/progress.h"

#include <stdio.h>

#include "device/clock.h"

enum { FIRST_MS = 2000, EVERY_MS = 500 };

void lint_progress_start(LintProgress *p, double limit_s, bool shows) {
  *p = (LintProgress){.start_ms = clock_ms(), .limit_s = limit_s, .shows = shows};
  pthread_mutex_init(&p->lock, NULL);
}

static void tell(LintProgress *p, double now, uint64_t begun, uint64_t blocks) {
  if (!p->shows || now - p->start_ms < FIRST_MS || now - p->told_ms < EVERY_MS) return;
  p->told_ms = now;
  fprintf(stderr, "\r%llu of %llu blocks, %.0f s\033[K", (unsigned long long)begun,
          (unsigned long long)blocks, (now - p->start_ms) / 1000);
}

/* At least one block runs. */
bool lint_progress_next(void *progress, uint64_t begun, uint64_t blocks) {
  LintProgress *p = progress;
  const double now = clock_ms();
  pthread_mutex_lock(&p->lock);
  tell(p, now, begun, blocks);
  pthread_mutex_unlock(&p->lock);
  return p->limit_s < 0 || begun == 0 || now - p->start_ms < p->limit_s * 1000;
}

void lint_progress_end(LintProgress *p) {
  if (p->told_ms > 0) fputs("\r\033[K", stderr);
  pthread_mutex_destroy(&p->lock);
}
