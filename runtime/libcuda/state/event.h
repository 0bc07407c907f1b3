/* SPDX-License-Identifier: MIT */
/* event.h: events. Their times are wall-clock times of the emulator. An event is freed when the
 * program has destroyed it and nothing pending refers to it. */
#ifndef KGEN_LIBCUDA_STATE_EVENT_H
#define KGEN_LIBCUDA_STATE_EVENT_H

#include <stdbool.h>
#include <time.h>

#include "libcuda/abi.h"
#include "libcuda/state/shared.h"

typedef struct Event {
  CUcontext context;
  unsigned flags;
  bool recorded;
  struct timespec time;
  /* If the event was recorded in a captured stream: the nodes on which waiting streams depend. */
  unsigned long long capture; /* number of the capture; 0: none */
  int tails;
  struct Node **tail;
  int pending;  /* number of records that have not run: pending.h */
  int waits;    /* number of pending waits for it */
  bool dropped; /* the program has destroyed it */
  /* For an interprocess event, the page with the number of the last record, or 0 once that has run;
   * else NULL. */
  Shared *shared;
  uint64_t last; /* this process's record that was pending */
} Event;

enum { EVENT_DISABLE_TIMING = 2, EVENT_INTERPROCESS = 4 };

/* Takes ownership of the page. NULL when out of memory. */
Event *event_new(unsigned flags, Shared *shared);
void event_stamp(Event *e);
/* event_pass(): a record has run. event_begin(): a record becomes pending. */
void event_pass(Event *e);
void event_begin(Event *e);
/* The number of the last record of another process, if that is pending and its process lives; 0. */
uint64_t event_elsewhere(const Event *e);
/* A wait for it is pending from now on, or has ended. */
void event_await(Event *e);
void event_leave(Event *e);
/* Frees an event that the program destroys, once no record of it is pending. */
void event_drop(Event *e);
/* A pending record of it has run. */
void event_settle(Event *e);

#endif
