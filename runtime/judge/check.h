/* SPDX-License-Identifier: MIT */
/* check.h: compares the buffers after a launch with the reference. */
#ifndef KGEN_JUDGE_CHECK_H
#define KGEN_JUDGE_CHECK_H

#include "judge/problem.h"

typedef struct {
  bool correct;
  double max_error; /* the largest difference of two numbers; 0 if all are bit-identical */
  uint64_t digest;  /* hash of the outputs' bytes (FNV-1a): equal on two machines if every bit is */
} Check;

/* Merges the results of another buffer, or another launch. */
void check_merge(Check *all, const Check *one);

/* Checks one buffer. image: the downloaded buffer, including `guard` bytes before and after it.
 * Guards must hold poison, an input its elements, an output the expected values; a workspace is not
 * checked. Errors, with the first differing elements, are appended to *report. */
Check check_buffer(const Buffer *b, const unsigned char *image, size_t guard, Text *report);

#endif
