/* event.h: events; their times are the emulator's, of the clock on the wall. */
#ifndef KGEN_LIBCUDA_EVENT_H
#define KGEN_LIBCUDA_EVENT_H

#include <stdbool.h>
#include <time.h>

#include "libcuda/abi.h"

typedef struct Event {
  unsigned flags;
  bool recorded;
  struct timespec time;
  /* Recorded in a stream that is being captured: what those wait for that wait for the event. */
  struct Capture *capture;
  int tails;
  struct Node **tail;
} Event;

void event_stamp(Event *e);

#endif
