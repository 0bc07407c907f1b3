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
  /* If it was recorded in a stream that is being captured, the nodes that waiting streams depend
   * on. */
  unsigned long long capture; /* its number; 0: none */
  int tails;
  struct Node **tail;
  int pending;  /* records that have not run: pending.h */
  int waits;    /* for it, which have not ended */
  bool dropped; /* the program has destroyed it */
  /* Of an event of several processes the page with the number of the last record, 0 when that has
   * run; else NULL. */
  Shared *shared;
  uint64_t last; /* record of this process that was pending */
} Event;

enum { EVENT_DISABLE_TIMING = 2, EVENT_INTERPROCESS = 4 };

/* NULL when out of memory; the event owns the page then. */
Event *event_new(unsigned flags, Shared *shared);
void event_stamp(Event *e);
/* A record of it has run, or is pending from now on. */
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
