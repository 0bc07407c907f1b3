/* SPDX-License-Identifier: MIT */
/* apply.h: applies measured configurations (wisdom) to a spec. */
#ifndef KGEN_TUNE_APPLY_H
#define KGEN_TUNE_APPLY_H

#include "command/options.h"
#include "tune/wisdom.h"

/* Shared by all specs of one call; the device is looked up when the first spec has measurements. */
typedef struct {
  Arena *arena;
  const Options *options;
  WisdomTexts texts;
  Diag *diag;         /* for notes */
  bool asked;         /* for the device */
  const char *device; /* the device whose measurements are used; NULL: none */
} Apply;

Apply apply_open(Arena *a, const Options *o, Diag *diag);

/* Adds the best configuration that was measured for the spec on the device to the options, as open
 * settings; nothing if there is none. A spec without errors is stored in options->read. Stale
 * records are reported and not used. */
void apply_wisdom(Apply *apply, const char *path, SpecOptions *options);

#endif
