/* SPDX-License-Identifier: MIT */
#include "judge/measure.h"

#include <stdlib.h>

enum { WARM_UP = 16, SAMPLES = 15, MIN_SAMPLES = 5, MAX_RUNS = 1 << 14 };
static const double sample_ms = 4;   /* event timers tick every 0.5 us: under 0.02 % */
static const double warm_up_ms = 50; /* until the clocks have risen */
/* time limit for all samples of a slow kernel, once there are MIN_SAMPLES */
static const double budget_ms = 2000;

typedef struct {
  Device *device;
  const Launch *list; /* NULL: copy */
  int launches;
  uint64_t to, from;
  size_t bytes;
} Work;

static bool run(const Work *w, int runs, double *ms) {
  const Backend *b = w->device->backend;
  return w->list ? b->time(w->device, w->list, w->launches, runs, ms)
                 : b->time_copy(w->device, w->to, w->from, w->bytes, runs, ms);
}

static int by_value(const void *x, const void *y) {
  const double a = *(const double *)x, b = *(const double *)y;
  return (a > b) - (a < b);
}

double measure_median(double *sample, int n) {
  qsort(sample, (size_t)n, sizeof *sample, by_value);
  return n % 2 ? sample[n / 2] : (sample[n / 2 - 1] + sample[n / 2]) / 2;
}

Timing measure_summary(double *sample, int n) {
  const double median = measure_median(sample, n);
  return (Timing){.median = median,
                  .min = sample[0],
                  .noise = (sample[3 * n / 4] - sample[n / 4]) / 2,
                  .samples = n};
}

/* Doubles the runs per sample until a sample is long enough. */
static bool choose_runs(const Work *w, int *runs) {
  double ms = 0;
  for (*runs = 1; *runs < MAX_RUNS; *runs *= 2) {
    if (!run(w, *runs, &ms)) return false;
    if (ms >= sample_ms) break;
  }
  return true;
}

static bool measure(const Work *w, Timing *out) {
  double ms = 0, sample[SAMPLES], total = 0;
  int runs, n = 0;
  if (!choose_runs(w, &runs)) return false;
  for (int i = 0; i < WARM_UP && total < warm_up_ms; i++, total += ms)
    if (!run(w, runs, &ms)) return false;
  for (total = 0; n < SAMPLES && (n < MIN_SAMPLES || total < budget_ms); total += ms) {
    if (!run(w, runs, &ms)) return false;
    sample[n++] = ms / runs;
  }
  *out = measure_summary(sample, n);
  return true;
}

int measure_copies(const Device *d, int64_t bytes) {
  enum { MIN_COPIES = 3, MAX_COPIES = 16 };
  const int64_t copies = 2 * d->l2_bytes / (bytes > 0 ? bytes : 1) + 1;
  return copies < MIN_COPIES ? MIN_COPIES : copies < MAX_COPIES ? (int)copies : MAX_COPIES;
}

bool measure_runs(Device *d, const Launch *list, int launches, int *runs) {
  const Work w = {.device = d, .list = list, .launches = launches};
  return choose_runs(&w, runs);
}

bool measure_launches(Device *d, const Launch *list, int launches, Timing *out) {
  const Work w = {.device = d, .list = list, .launches = launches};
  return measure(&w, out);
}

bool measure_copy(Device *d, uint64_t to, uint64_t from, size_t bytes, Timing *out) {
  const Work w = {.device = d, .to = to, .from = from, .bytes = bytes};
  return measure(&w, out);
}
