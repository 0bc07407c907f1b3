/* SPDX-License-Identifier: MIT */
#include "tune/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void end_of(pid_t parent, const Recorder *r, const Point *p, int seconds) {
  Recorder own = *r;
  fprintf(stderr,
          "\nkgen: %s has not ended in %d s: it is recorded as wrong, and this search is killed; "
          "start it again to go on with the others\n",
          p->label, seconds);
  record_fault(&own, p, FAULT_TIMEOUT, "it has not ended in time");
  kill(parent, SIGKILL);
}

static void watch(int starts, pid_t parent, const Recorder *r, const Space *s, int seconds) {
  int point = -1;
  for (;;) {
    struct pollfd p = {.fd = starts, .events = POLLIN};
    const int ready = poll(&p, 1, point < 0 ? -1 : seconds * 1000);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) end_of(parent, r, &s->point[point], seconds);
    if (ready <= 0 || read(starts, &point, sizeof point) != (ssize_t)sizeof point) return;
  }
}

Watchdog watchdog_start(const Recorder *r, const Space *s, int seconds) {
  int starts[2];
  const pid_t parent = getpid();
  if (pipe2(starts, O_CLOEXEC) != 0) return (Watchdog){0, -1};
  const pid_t child = fork();
  if (child == 0) {
    close(starts[1]);
    watch(starts[0], parent, r, s, seconds);
    _exit(0);
  }
  close(starts[0]);
  if (child > 0) return (Watchdog){child, starts[1]};
  close(starts[1]);
  return (Watchdog){0, -1};
}

void watchdog_announce(const Watchdog *w, int point) {
  if (w->process && write(w->starts, &point, sizeof point) != (ssize_t)sizeof point) return;
}

void watchdog_stop(Watchdog *w) {
  if (!w->process) return;
  close(w->starts);
  waitpid(w->process, NULL, 0);
  w->process = 0;
}
