/* SPDX-License-Identifier: MIT */
/* measure.h: measures the time of a launch, in milliseconds. Functions that launch return false if
 * a call failed, with the reason in d->error. */
#ifndef KGEN_JUDGE_MEASURE_H
#define KGEN_JUDGE_MEASURE_H

#include "device/backend.h"

/* Milliseconds per run. */
typedef struct {
  double median, min;
  double noise; /* half the interquartile range */
  int samples;
} Timing;

/* Times the launches of the list, which alternate so that no run finds its data in the cache. After
 * a warm-up the number of runs per sample doubles until a sample is long compared with the clock's
 * resolution. */
bool measure_launches(Device *d, const Launch *list, int launches, Timing *out);
/* The number of copies of a problem's buffers (`bytes` in total) through which launches rotate, so
 * that none finds its data in the cache. Times then also cover several memory locations, which
 * differ by up to 5 % between processes [measured on an H200]. */
int measure_copies(const Device *d, int64_t bytes);
/* The number of runs per sample that make it long compared with the clock's resolution; launches a
 * few runs to determine it. */
bool measure_runs(Device *d, const Launch *list, int launches, int *runs);
/* Statistics of the samples, which are sorted ascending; at least one. */
double measure_median(double *sample, int n);
Timing measure_summary(double *sample, int n);
/* Times device-to-device copies in the same way. */
bool measure_copy(Device *d, uint64_t to, uint64_t from, size_t bytes, Timing *out);

#endif
