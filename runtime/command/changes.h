/* SPDX-License-Identifier: MIT */
/* changes.h: the differences between two reports. */
#ifndef KGEN_COMMAND_CHANGES_H
#define KGEN_COMMAND_CHANGES_H

#include "base/text.h"

typedef enum { CHANGE_OTHER, CHANGE_BETTER, CHANGE_WORSE, CHANGE_VERDICTS } Verdict;
extern const char *const verdict_name[CHANGE_VERDICTS];

typedef struct {
  const char *of;       /* the compared object: "transpose_f32, drain"; "my.cu:8, load" */
  const char *what;     /* the compared value: "wavefronts" */
  const char *was, *is; /* "-" if the value is missing */
  Verdict verdict;
} Change;

typedef struct {
  Arena *arena;
  double tolerance; /* fraction by which a time may change in addition to its noise */
  int count, capacity;
  Change *change;
  int of_verdict[CHANGE_VERDICTS];
  int compared; /* number of specs, candidates or source lines */
} Comparison;

/* Adds a change; for the functions that compare parts of a report. */
void change_add(Comparison *c, const char *of, const char *what, const char *was, const char *is,
                Verdict verdict);

#endif
