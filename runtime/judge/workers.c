/* SPDX-License-Identifier: MIT */
#include "judge/workers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEAD = INT32_MAX / 2 }; /* `given` of a worker that has died: larger than any queue */

Compiled workers_compile(Arena *a, const Runner *r, const BatchItem *item, JitForm form, int job) {
  Text why = text_new(a);
  Jit jit;
  Compiled out = {.job = job};
  out.status =
      jit_compile(a, &r->cache, form, run_arch(r, item->spec), item->plan, &item->out, &jit, &why);
  out.registers = jit.registers;
  out.blocks = jit.blocks_on_sm;
  out.ms = jit.ms;
  snprintf(out.why, sizeof out.why, "%s", why.s);
  return out;
}

/* --- a worker --- */

static bool read_all(int fd, void *to, size_t n) {
  ssize_t got;
  do got = read(fd, to, n);
  while (got < 0 && errno == EINTR);
  return got == (ssize_t)n;
}

/* A result is shorter than the size that a pipe writes atomically. */
static void work(const Workers *w, int jobs, int results) {
  int job;
  while (read_all(jobs, &job, sizeof job)) {
    Compiled c = w->order.compile(w->order.context, job);
    c.worker = w->count;
    if (write(results, &c, sizeof c) != (ssize_t)sizeof c) break;
  }
}

/* A worker ends with the process that started it, even if that is killed, by SIGTERM, which is
 * deferred while a cache entry is being written. */
static void end_with(pid_t parent) {
  sigset_t end;
  signal(SIGTERM, SIG_DFL);
  sigemptyset(&end);
  sigaddset(&end, SIGTERM);
  sigprocmask(SIG_UNBLOCK, &end, NULL);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(0);
}

/* A worker ends when its socket is closed, so it must not keep the sockets of others open. */
static void become_worker(const Workers *w, int jobs, int results, pid_t parent) {
  for (int i = 0; i < w->count; i++) close(w->jobs[i]);
  close(w->results);
  if (w->order.held) signals_release(w->order.held);
  end_with(parent);
  work(w, jobs, results);
  _exit(0);
}

static bool start_one(Workers *w, int results) {
  int jobs[2];
  const pid_t parent = getpid();
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, jobs) != 0) return false;
  const pid_t child = fork();
  if (child == 0) {
    close(jobs[1]);
    become_worker(w, jobs[0], results, parent);
  }
  close(jobs[0]);
  if (child < 0) {
    close(jobs[1]);
    return false;
  }
  w->jobs[w->count] = jobs[1];
  w->process[w->count++] = child;
  return true;
}

bool workers_start(Arena *a, const WorkersOrder *order, Workers *out, Text *why) {
  int results[2];
  const size_t count = (size_t)order->count;
  *out = (Workers){.order = *order,
                   .jobs = ARENA_ARRAY(a, int, count),
                   .given = ARENA_ARRAY(a, int, count),
                   .process = ARENA_ARRAY(a, pid_t, count)};
  if (pipe2(results, O_CLOEXEC) == 0) {
    out->results = results[0];
    while (out->count < order->count && start_one(out, results[1])) continue;
    close(results[1]);
    if (out->count == 0) close(results[0]);
  }
  if (out->count == 0) text_printf(why, "no process to compile in: %s", strerror(errno));
  return out->count > 0;
}

/* --- jobs --- */

static int least_busy(const Workers *w) {
  int best = 0;
  for (int i = 1; i < w->count; i++)
    if (w->given[i] < w->given[best]) best = i;
  return best;
}

bool workers_have_room(const Workers *w) { return w->given[least_busy(w)] < w->order.queue; }

/* Jobs given to a worker that has died are lost: they are done where they are needed. */
static void drop(Workers *w, int worker) {
  w->busy -= w->given[worker];
  w->given[worker] = DEAD;
}

static void drop_dead(Workers *w) {
  for (int i = 0; i < w->count; i++)
    if (w->given[i] < DEAD && waitpid(w->process[i], NULL, WNOHANG) == w->process[i]) drop(w, i);
}

void workers_give(Workers *w, int job) {
  const int to = least_busy(w);
  if (send(w->jobs[to], &job, sizeof job, MSG_NOSIGNAL) != (ssize_t)sizeof job) {
    drop(w, to);
    return;
  }
  w->busy++;
  w->given[to]++;
}

bool workers_take(Workers *w, int ms, Compiled *out) {
  struct pollfd p = {.fd = w->results, .events = POLLIN};
  if (w->busy == 0) return false;
  if (poll(&p, 1, ms) <= 0 || !read_all(w->results, out, sizeof *out)) {
    drop_dead(w);
    return false;
  }
  if (w->given[out->worker] < DEAD) {
    w->busy--;
    w->given[out->worker]--;
  }
  return true;
}

void workers_stop(Workers *w) {
  for (int i = 0; i < w->count; i++) {
    if (w->given[i] < DEAD) kill(w->process[i], SIGTERM);
    close(w->jobs[i]);
    waitpid(w->process[i], NULL, 0);
  }
  if (w->count) close(w->results);
  w->count = 0;
}
