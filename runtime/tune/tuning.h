/* tuning.h: what one call of kgen --tune shares among its specs. */
#ifndef KGEN_TUNE_TUNING_H
#define KGEN_TUNE_TUNING_H

#include "base/signals.h"
#include "command/options.h"
#include "judge/run.h"

typedef struct {
  const Options *options;
  const SpecOptions *spec_options;
  Runner *runner; /* its device: NULL where points are only compiled */
  JitForm form;
  const char *toolkit;
  const char *file;    /* that records are appended to */
  const char *shipped; /* folder of the records that come with kgen, or NULL */
  int shard, shards;
  sigset_t held; /* the signals as they were before they were held back */
  int signal;    /* that asks to stop; 0: none */
  /* Each is reported, and ends the search: */
  bool unusable; /* no compiler, */
  bool broken;   /* a device that accepts no more calls, */
  bool unkept;   /* a record that could not be written */
} Tuning;

/* Ctrl-C and its like; keeps what came. */
bool tuning_stops(Tuning *t);
bool tuning_has_failed(const Tuning *t);
/* The device accepts no more calls since that configuration was executed. */
void tuning_break(Tuning *t, const char *label, const char *why);

#endif
