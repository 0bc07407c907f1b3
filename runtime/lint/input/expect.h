/* expect.h: buffers after a launch: saved, or compared with expected contents. */
#ifndef KGEN_LINT_INPUT_EXPECT_H
#define KGEN_LINT_INPUT_EXPECT_H

#include "base/json.h"
#include "lint/input/value.h"

/* Expected contents of a buffer after the launch. */
typedef struct {
  LintValue want;   /* its name: the buffer's; its fill: what is expected there */
  double tolerance; /* see lint_output_compare */
} LintExpect;

/* --dump BUF=FILE. */
typedef struct {
  const char *text, *buffer, *file;
} LintDump;

/* How one buffer compares. */
typedef struct {
  const char *name;
  const Dtype *dtype; /* NULL: compared byte by byte */
  uint64_t count;     /* elements, or bytes */
  uint64_t different;
  uint64_t first;         /* the first one that differs */
  const char *got, *want; /* that one, as text */
  double error; /* the greatest, relative as the tolerance is; 0 where it is not a number */
} LintOutput;

/* Elements are equal if their bits are, or with a tolerance if they differ by no more than it times
 * the larger of 1 and the size of what is wanted; two NaN are equal then. */
LintOutput lint_output_compare(Arena *a, const Dtype *dtype, double tolerance, const void *got,
                               const void *want, uint64_t bytes);

/* "3 of 4096 f32 differ, the first at 17: 1.5, expected 2". */
const char *lint_output_text(Arena *a, const LintOutput *o, const char *expected);
/* The same as a line of an array; `got` and `want` are the keys of the two values. */
void lint_output_json(Json *j, const LintOutput *o, const char *got, const char *want);

#endif
