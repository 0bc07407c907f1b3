/* check.h: what a kernel left in its buffers, compared with what the reference expects. */
#ifndef KGEN_JUDGE_CHECK_H
#define KGEN_JUDGE_CHECK_H

#include "judge/problem.h"

typedef struct {
  bool correct;
  double max_error; /* the largest difference of two numbers; 0 if all are equal bit for bit */
  uint64_t digest;  /* of the outputs' bytes (FNV-1a): equal on two machines if every bit is */
} Check;

/* Merges the results of one more buffer, or one more launch. */
void check_merge(Check *all, const Check *one);

/* Compares one buffer. image: the buffer as downloaded, `guard` bytes before and after it included.
 * Guards must hold poison, an input its elements, an output the expected values; a workspace is not
 * checked. What is wrong, with the first elements, is appended to *report. */
Check check_buffer(const Buffer *b, const unsigned char *image, size_t guard, Text *report);

#endif
