/* SPDX-License-Identifier: MIT */
/* record.h: writes the results of a search to the tuning database (called wisdom, after FFTW). */
#ifndef KGEN_TUNE_RECORD_H
#define KGEN_TUNE_RECORD_H

#include "tune/bench.h"
#include "tune/wisdom.h"

typedef struct {
  const char *file;
  WisdomKey key;
  const char *name, *arch, *driver;
  Text *messages;
  bool *failed; /* set if a record could not be written, which is reported once */
} Recorder;

void record_timing(Recorder *r, const Point *p, bool final, const Timing *t, const char *place);
void record_fault(Recorder *r, const Point *p, Fault fault, const char *why);

#endif
