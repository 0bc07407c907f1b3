/* SPDX-License-Identifier: MIT */
/* report_json.h: results of one spec as JSON. */
#ifndef KGEN_COMMAND_REPORT_JSON_H
#define KGEN_COMMAND_REPORT_JSON_H

#include "judge/run.h"

/* Writes the keys "jit" and "run" of a spec's object. A BatchKeys; its context is the Report. */
typedef struct {
  const Run *runs;
  const Device *device; /* NULL: compiled only */
} Report;
void report_json(Json *j, int index, void *context);

#endif
