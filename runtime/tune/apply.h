/* apply.h: applies wisdom to a spec. */
#ifndef KGEN_TUNE_APPLY_H
#define KGEN_TUNE_APPLY_H

#include "command/options.h"
#include "tune/wisdom.h"

/* What all specs of one call share; the device is looked up when the first spec has
 * measurements. */
typedef struct {
  Arena *arena;
  const Options *options;
  WisdomTexts texts;
  Text *messages;
  bool asked;         /* for the device */
  const char *device; /* whose wisdom is used; NULL: nobody's */
} Apply;

Apply apply_open(Arena *a, const Options *o, Text *messages);

/* Adds to the options the best configuration that was measured for the spec on the device, as open
 * settings; nothing if there is none. A spec without errors is left in options->read. Stale records
 * are reported, and not used. */
void apply_wisdom(Apply *apply, const char *path, SpecOptions *options);

#endif
