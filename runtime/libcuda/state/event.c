/* SPDX-License-Identifier: MIT */
#include "libcuda/state/event.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "libcuda/state/context.h"
#include "libcuda/state/handle.h"

Event *event_new(unsigned flags, Shared *shared) {
  Event *e = calloc(1, sizeof *e);
  if (!e) return NULL;
  *e = (Event){.flags = flags, .context = context_current(), .shared = shared};
  handle_add(e, HANDLE_EVENT);
  return e;
}

void event_stamp(Event *e) {
  e->recorded = true;
  clock_gettime(CLOCK_MONOTONIC, &e->time);
}

/* --- between processes --- */

/* Record numbers contain the process number in their upper bits. */
enum { SERIAL_BITS = 32 };

static _Atomic uint64_t *last_record(const Event *e) { return e->shared->host; }

/* True if the process has ended. A killed process counts as ended before its parent has waited for
 * it. */
static bool has_ended(pid_t process) {
  char path[64], program;
  snprintf(path, sizeof path, "/proc/%d/exe", (int)process);
  return readlink(path, &program, 1) < 0 && errno == ENOENT;
}

uint64_t event_elsewhere(const Event *e) {
  const uint64_t last = e->shared ? atomic_load(last_record(e)) : 0;
  const pid_t process = (pid_t)(last >> SERIAL_BITS);
  return last && process != getpid() && !has_ended(process) ? last : 0;
}

void event_pass(Event *e) {
  event_stamp(e);
  if (e->shared && !e->pending) atomic_store(last_record(e), 0);
}

void event_begin(Event *e) {
  static uint32_t serial;
  e->pending++;
  if (!e->shared) return;
  e->last = (uint64_t)getpid() << SERIAL_BITS | ++serial;
  atomic_store(last_record(e), e->last);
}

/* Clears the number of the last record, unless another process has recorded the event since. */
static void end_last(const Event *e) {
  uint64_t mine = e->last;
  if (e->shared) atomic_compare_exchange_strong(last_record(e), &mine, 0);
}

/* --- their end --- */

static void free_unused(Event *e) {
  if (!e->dropped || e->pending || e->waits) return;
  shared_drop(e->shared);
  free(e);
}

void event_drop(Event *e) {
  free(e->tail);
  e->tail = NULL;
  e->dropped = true;
  free_unused(e);
}

void event_settle(Event *e) {
  e->pending--;
  if (!e->pending) end_last(e);
  free_unused(e);
}

void event_await(Event *e) { e->waits++; }

void event_leave(Event *e) {
  e->waits--;
  free_unused(e);
}
