/* SPDX-License-Identifier: MIT */
/* sizes.h: the sizes of problems that --sizes names, such as "m=1024..8192 times 2 n=4096". */
#ifndef KGEN_TUNE_SIZES_H
#define KGEN_TUNE_SIZES_H

#include "command/options.h"
#include "tune/wisdom.h"

enum { SIZES_MAX = 256 };

/* Problems in the order in which they are tuned; none: each spec's own. */
typedef struct {
  int count;
  Values problem[SIZES_MAX];
} SizeList;

/* Each item is NAME=VALUES pairs, separated by blanks: all their combinations, the last name
 * changing fastest. VALUES are numbers and ranges, separated by commas: A..B, A..B by STEP,
 * A..B times FACTOR. False with *why. */
bool sizes_parse(Arena *a, const OptionList *items, SizeList *out, Diag *diag);

/* False, with *why, if the spec lacks one of the sizes. */
bool sizes_fit(Arena *a, const Values *problem, const Spec *spec, Diag *diag);

#endif
