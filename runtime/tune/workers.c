#include "tune/workers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { QUEUE = 2 }; /* points that a worker has at most: one more than it works on */

static Compiled compile_point(const Space *s, const Runner *r, JitForm form, int point) {
  Arena *a = arena_new();
  Text why = text_new(a);
  const BatchItem item = space_item(a, s, &s->point[point]);
  Jit jit;
  Compiled out = {.point = point};
  out.status =
      jit_compile(a, &r->cache, form, run_arch(r, item.spec), item.plan, &item.out, &jit, &why);
  out.registers = jit.registers;
  out.spill_bytes = jit.spill_bytes;
  out.blocks = jit.blocks_on_sm;
  snprintf(out.why, sizeof out.why, "%s", why.s);
  arena_free(a);
  return out;
}

/* --- a worker --- */

static bool read_all(int fd, void *to, size_t n) {
  ssize_t got;
  do got = read(fd, to, n);
  while (got < 0 && errno == EINTR);
  return got == (ssize_t)n;
}

/* A result is shorter than what a pipe writes atomically. */
static void work(const Workers *w, int jobs, int results) {
  int point;
  while (read_all(jobs, &point, sizeof point)) {
    Compiled c = compile_point(w->space, w->runner, w->form, point);
    c.worker = w->count;
    if (write(results, &c, sizeof c) != (ssize_t)sizeof c) break;
  }
}

/* It ends when its pipe is closed, so it must not keep those of others open. */
static void become_worker(const Workers *w, int jobs, int results, const sigset_t *held) {
  for (int i = 0; i < w->count; i++) close(w->jobs[i]);
  close(w->results);
  signals_release(held);
  work(w, jobs, results);
  _exit(0);
}

static bool start_one(Workers *w, int results, const sigset_t *held) {
  int jobs[2];
  if (pipe2(jobs, O_CLOEXEC) != 0) return false;
  const pid_t child = fork();
  if (child == 0) {
    close(jobs[1]);
    become_worker(w, jobs[0], results, held);
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

bool workers_start(Arena *a, const Space *s, const Runner *r, JitForm form, int count,
                   const sigset_t *held, Workers *out, Text *why) {
  int results[2];
  *out = (Workers){.space = s,
                   .runner = r,
                   .form = form,
                   .jobs = ARENA_ARRAY(a, int, (size_t)count),
                   .given = ARENA_ARRAY(a, int, (size_t)count),
                   .process = ARENA_ARRAY(a, pid_t, (size_t)count)};
  if (pipe2(results, O_CLOEXEC) == 0) {
    out->results = results[0];
    while (out->count < count && start_one(out, results[1], held)) continue;
    close(results[1]);
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

bool workers_have_room(const Workers *w) { return w->given[least_busy(w)] < QUEUE; }

void workers_give(Workers *w, int point) {
  const int to = least_busy(w);
  w->busy++;
  w->given[to]++;
  /* A point sent to a worker that has died is lost, with those that it had: the search ends without
   * them. */
  if (write(w->jobs[to], &point, sizeof point) == (ssize_t)sizeof point) return;
  w->busy -= w->given[to];
  w->given[to] = INT32_MAX / 2;
}

bool workers_take(Workers *w, int ms, Compiled *out) {
  struct pollfd p = {.fd = w->results, .events = POLLIN};
  if (w->busy == 0 || poll(&p, 1, ms) <= 0 || !read_all(w->results, out, sizeof *out)) return false;
  w->busy--;
  w->given[out->worker]--;
  return true;
}

void workers_stop(Workers *w) {
  for (int i = 0; i < w->count; i++) {
    kill(w->process[i], SIGKILL);
    close(w->jobs[i]);
    waitpid(w->process[i], NULL, 0);
  }
  if (w->count) close(w->results);
  w->count = 0;
}
