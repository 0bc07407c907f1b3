/* SPDX-License-Identifier: MIT */
/* search.h: finds the best configuration of one spec by measuring. */
#ifndef KGEN_TUNE_SEARCH_H
#define KGEN_TUNE_SEARCH_H

#include "tune/choose.h"
#include "tune/space.h"
#include "tune/tuning.h"

/* The result for one spec. */
typedef struct {
  Space space;
  WisdomKey key;
  Choices choices;        /* all measurements at the end, best first */
  int compiled, measured; /* number of points measured in this run */
  int known;              /* number of points measured in earlier runs */
  int pruned, invalid;    /* number of points that cannot be the best; that are wrong */
  int left;               /* number of points for which there was no time */
  double seconds;
} Tuned;

/* seconds: time limit from now. False on an error of the spec, in d. */
bool search_spec(Tuning *t, Arena *a, Diag *d, const char *path, double seconds, Tuned *out);

/* Measures only these configurations, spelled as by values_text(): kgen --tune --only. */
bool search_only(Tuning *t, Arena *a, Diag *d, const char *path, const OptionList *only);

#endif
