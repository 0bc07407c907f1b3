/* SPDX-License-Identifier: MIT */
#include "base/signals.h"

#include <time.h>

static void list(sigset_t *set) {
  sigemptyset(set);
  sigaddset(set, SIGHUP);
  sigaddset(set, SIGINT);
  sigaddset(set, SIGTERM);
}

/* sigprocmask sets the calling thread's mask on Linux, and needs no library of threads. */
void signals_hold(sigset_t *before) {
  sigset_t set;
  list(&set);
  sigprocmask(SIG_BLOCK, &set, before);
}

void signals_release(const sigset_t *before) { sigprocmask(SIG_SETMASK, before, NULL); }

int signals_wait(int ms) {
  sigset_t set;
  list(&set);
  const struct timespec limit = {ms / 1000, (long)(ms % 1000) * 1000000};
  const int signal = sigtimedwait(&set, NULL, &limit);
  return signal > 0 ? signal : 0;
}
