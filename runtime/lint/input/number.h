/* SPDX-License-Identifier: MIT */
/* number.h: a number as the user wrote it, for elements of any dtype. 64-bit integers are not
 * rounded. */
#ifndef KGEN_LINT_INPUT_NUMBER_H
#define KGEN_LINT_INPUT_NUMBER_H

#include "base/text.h"
#include "model/tile.h"

typedef struct {
  double real; /* nearest double */
  bool whole;  /* an integer between -2^64 and 2^64, whose absolute value is exactly `size` */
  bool negative;
  uint64_t size;
} LintNumber;

LintNumber lint_number_of(uint64_t n);
/* Reads digits in any base of C, without a sign; *end is the text after them. */
bool lint_number_count(const char *s, uint64_t *out, const char **end);
/* Reads a number like strtod(), without leading blanks; *end is the text after it. */
bool lint_number_read(const char *s, const char **end, LintNumber *out);
/* a + b * n; not whole if it is no 64-bit integer. */
LintNumber lint_number_after(LintNumber a, LintNumber b, uint64_t n);
/* For whole numbers only. */
bool lint_number_less(LintNumber a, LintNumber b);
/* True if an integer dtype can represent it. */
bool lint_number_fits(LintNumber n, const Dtype *t);
/* Two's complement of a whole number. */
uint64_t lint_number_bits(LintNumber n);
const char *lint_number_text(Arena *a, LintNumber n);

#endif
