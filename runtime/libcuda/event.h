/* event.h: events. Their times are wall-clock times of the emulator. An event is freed when the
 * program has destroyed it and nothing pending refers to it. */
#ifndef KGEN_LIBCUDA_EVENT_H
#define KGEN_LIBCUDA_EVENT_H

#include <stdbool.h>
#include <time.h>

#include "libcuda/abi.h"

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
  bool dropped; /* the program has destroyed it */
} Event;

void event_stamp(Event *e);
/* Frees an event that the program destroys, once no record of it is pending. */
void event_drop(Event *e);
/* A pending record of it has run. */
void event_settle(Event *e);

#endif
