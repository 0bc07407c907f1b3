/* SPDX-License-Identifier: MIT */
/* expect.h: saves buffers after a launch, or compares them with expected contents. */
#ifndef KGEN_LINT_INPUT_EXPECT_H
#define KGEN_LINT_INPUT_EXPECT_H

#include "base/json.h"
#include "lint/input/value.h"

/* Expected contents of a buffer after the launch. */
typedef struct {
  LintValue want;   /* name: the buffer's; fill: the expected contents */
  double tolerance; /* see lint_output_compare */
} LintExpect;

/* --dump BUF=FILE. */
typedef struct {
  const char *text, *buffer, *file;
} LintDump;

/* The result of comparing one buffer. */
typedef struct {
  const char *name;
  const Dtype *dtype; /* NULL: compared byte by byte */
  uint64_t count;     /* number of elements, or of bytes */
  uint64_t different;
  uint64_t first;         /* index of the first difference */
  const char *got, *want; /* that element's value, as text */
  double error;           /* maximum error, relative like the tolerance; 0 if it is not a number */
} LintOutput;

/* Elements are equal if their bits are. With a tolerance they are also equal if they differ by at
 * most tolerance * max(1, |want|), or are both NaN. */
LintOutput lint_output_compare(Arena *a, const Dtype *dtype, double tolerance, const void *got,
                               const void *want, uint64_t bytes);

/* "3 of 4096 f32 differ, the first at 17: 1.5, expected 2". */
const char *lint_output_text(Arena *a, const LintOutput *o, const char *expected);
/* The same as a line of an array; `got` and `want` are the keys of the two values. */
void lint_output_json(Json *j, const LintOutput *o, const char *got, const char *want);

#endif
