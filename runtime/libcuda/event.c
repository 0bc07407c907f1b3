#include "libcuda/event.h"

void event_stamp(Event *e) {
  e->recorded = true;
  clock_gettime(CLOCK_MONOTONIC, &e->time);
}
