/* number.h: a number as a user wrote it, for elements of any dtype: integers of 64 bits are
 * not rounded on their way. */
#ifndef KGEN_LINT_INPUT_NUMBER_H
#define KGEN_LINT_INPUT_NUMBER_H

#include "base/text.h"
#include "model/tile.h"

typedef struct {
  double real; /* the nearest */
  bool whole;  /* an integer between -2^64 and 2^64, exactly `size`, or minus that */
  bool negative;
  uint64_t size;
} LintNumber;

LintNumber lint_number_of(uint64_t n);
/* Reads digits in any base of C, without a sign; *end is what follows. */
bool lint_number_count(const char *s, uint64_t *out, const char **end);
/* Reads one as strtod does, without blanks before it; *end is what follows. */
bool lint_number_read(const char *s, const char **end, LintNumber *out);
/* a + b * n; not whole if that is no integer of 64 bits. */
LintNumber lint_number_after(LintNumber a, LintNumber b, uint64_t n);
/* For whole numbers only. */
bool lint_number_less(LintNumber a, LintNumber b);
/* True if an integer dtype can represent it. */
bool lint_number_fits(LintNumber n, const Dtype *t);
/* In two's complement, of a whole one. */
uint64_t lint_number_bits(LintNumber n);
const char *lint_number_text(Arena *a, LintNumber n);

#endif
