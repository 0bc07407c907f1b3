/* measure.h: how long a launch takes. */
#ifndef KGEN_MEASURE_H
#define KGEN_MEASURE_H

#include "device/backend.h"

/* Milliseconds of one run. */
typedef struct {
  double median, min;
  double noise; /* half the distance of the quartiles */
  int samples;
} Timing;

/* Times the launches of the list, taken in turn so that no run finds its data in the cache. After a
 * warm-up the number of runs of a sample doubles until a sample is long against the clock's grain.
 */
bool measure_launches(Device *d, const Launch *list, int launches, Timing *out);
/* Times device-to-device copies in the same way. */
bool measure_copy(Device *d, uint64_t to, uint64_t from, size_t bytes, Timing *out);

#endif
