/* SPDX-License-Identifier: MIT */
/* same.h: writes the report of --same. */
#ifndef KGEN_LINT_REPORT_SAME_H
#define KGEN_LINT_REPORT_SAME_H

#include "lint/input/expect.h"

enum { SAME_SIDES = 2 };

/* The cost of a launch, and its findings. */
typedef struct {
  uint64_t wavefronts, conflicts, sectors, ideal_sectors, bulk_wavefronts, warp_instructions;
  uint64_t shared_bytes, findings;
  uint64_t stored; /* sectors of global stores and atomics */
} SameCounts;

/* One side of a pair. */
typedef struct {
  const char *file, *kernel;
  SameCounts counts;
  const char *finding; /* its first finding; NULL: none */
} SameSide;

/* Two launches that were compared. */
typedef struct {
  const char *name; /* the launch's name in a file; or NULL */
  SameSide side[SAME_SIDES];
  int inputs; /* number of inputs that differ before the launch */
  const char **input;
  int outputs; /* number of buffers and variables that either side wrote */
  LintOutput *output;
  bool idle;  /* neither side changed anything, and both made equal numbers of stores */
  bool equal; /* all inputs and outputs are equal, and there is an output or `idle` is set */
} SamePair;

void lint_same_text(Text *out, const SamePair *pair, int pairs);
void lint_same_json(Text *out, const SamePair *pair, int pairs);

#endif
