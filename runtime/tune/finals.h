/* finals.h: measures the few finalists in turns, and then in other processes. */
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

/* Measures points[0..count) in turns, ever more often, and drops the slower half each time, until
 * `keep` are left or time is up: how many are left, the best first. */
int finals_halve(const Finals *f, int *points, int count, int keep);

/* The same points once more, in turns, each checked again, with records of its own. */
void finals_measure(const Finals *f, const int *points, int count);

/* finals_measure in processes of their own, where buffers come to lie elsewhere, at least one and
 * at most `processes` as time allows. In this process, where the spec can be read only once. */
void finals_fresh(const Finals *f, const int *points, int count, int processes);

#endif
