#include "libcuda/event.h"

#include <stdlib.h>

void event_stamp(Event *e) {
  e->recorded = true;
  clock_gettime(CLOCK_MONOTONIC, &e->time);
}

void event_drop(Event *e) {
  free(e->tail);
  e->tail = NULL;
  e->dropped = true;
  if (!e->pending) free(e);
}

void event_settle(Event *e) {
  e->pending--;
  if (!e->pending && e->dropped) free(e);
}
