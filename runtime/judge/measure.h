/* measure.h: how long a launch takes, in milliseconds. A function that launches returns false if a
 * call failed, with the reason in d->error. */
#ifndef KGEN_JUDGE_MEASURE_H
#define KGEN_JUDGE_MEASURE_H

#include "device/backend.h"

/* Milliseconds of one run. */
typedef struct {
  double median, min;
  double noise; /* half the interquartile range */
  int samples;
} Timing;

/* Times the launches of the list, taken in turn so that no run finds its data in the cache. After a
 * warm-up the number of runs of a sample doubles until a sample is long compared with the clock's
 * resolution. */
bool measure_launches(Device *d, const Launch *list, int launches, Timing *out);
/* How many copies of a problem's buffers, of `bytes` in all, launches rotate through. So none finds
 * its data in the cache, and times are of several places in memory, which differ by up to 5 %
 * between processes, as measured on an H200. */
int measure_copies(const Device *d, int64_t bytes);
/* How many runs of the list make a sample long compared with the clock's resolution; it launches a
 * few to find out. */
bool measure_runs(Device *d, const Launch *list, int launches, int *runs);
/* Of samples, which are sorted by it, ascending; at least one. */
double measure_median(double *sample, int n);
Timing measure_summary(double *sample, int n);
/* Times device-to-device copies in the same way. */
bool measure_copy(Device *d, uint64_t to, uint64_t from, size_t bytes, Timing *out);

#endif
