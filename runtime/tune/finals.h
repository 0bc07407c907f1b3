/* SPDX-License-Identifier: MIT */
/* finals.h: measures the few finalists interleaved, and then in other processes. */
#ifndef KGEN_TUNE_FINALS_H
#define KGEN_TUNE_FINALS_H

#include "tune/record.h"
#include "tune/tuning.h"

typedef struct {
  Tuning *tuning;
  Bench *bench;
  Recorder *recorder;
  double end; /* milliseconds of the clock */
} Finals;

/* Measures points[0..count) interleaved, with more samples each round, and drops the slower half
 * each time, until `keep` are left or time is up. Returns the number left, best first. */
int finals_halve(const Finals *f, int *points, int count, int keep);

/* Measures the same points again, interleaved, each checked again and with records of its own. */
void finals_measure(const Finals *f, const int *points, int count);

/* Runs finals_measure() in separate processes, in which buffers have other addresses: at least one,
 * and at most `processes` as time allows. In this process if the spec can be read only once. */
void finals_fresh(const Finals *f, const int *points, int count, int processes);

#endif
