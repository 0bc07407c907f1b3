/* SPDX-License-Identifier: MIT */
/* tuning.h: state of one call of kgen --tune, shared by its specs. */
#ifndef KGEN_TUNE_TUNING_H
#define KGEN_TUNE_TUNING_H

#include "base/signals.h"
#include "command/options.h"
#include "judge/run.h"

typedef struct {
  const Options *options;
  const SpecOptions *spec_options;
  Runner *runner; /* the device: NULL if points are only compiled */
  JitForm form;
  const char *toolkit;
  const char *file;    /* file to which records are appended */
  const char *shipped; /* directory of the records installed with kgen, or NULL */
  int shard, shards;
  sigset_t held; /* the signal mask from before signals were deferred */
  int signal;    /* the signal that requests a stop; 0: none */
  /* Each of these is reported and ends the search: */
  bool unusable; /* no compiler, */
  bool broken;   /* a device that accepts no more calls, */
  bool unkept;   /* a record that could not be written */
} Tuning;

/* A signal such as Ctrl-C; records which one arrived. */
bool tuning_stops(Tuning *t);
bool tuning_has_failed(const Tuning *t);
/* The device accepts no more calls since that configuration was executed. */
void tuning_break(Tuning *t, const char *label, const char *why);

#endif
