/*
 * fill.h: initial contents of a buffer.
 *
 *   FILL = zero | random[=LOW..HIGH] | constant=V | iota[=START[..STEP]] | permutation | FILE
 *
 * on the command line; lint.yaml spells these out and has the pieces of sparse matrices, too
 * [docs/reference/arguments-and-lint-yaml.md].
 */
#ifndef KGEN_LINT_INPUT_FILL_H
#define KGEN_LINT_INPUT_FILL_H

#include "lint/input/number.h"

typedef enum {
  FILL_RANDOM, /* bytes; of a dtype numbers, finite, as value_fill has them, or from a range */
  FILL_ZERO,
  FILL_CONSTANT,    /* `start`, everywhere */
  FILL_IOTA,        /* start, start + step, ... */
  FILL_PERMUTATION, /* the numbers 0 to count - 1, permuted */
  FILL_CSR_ROWS,    /* row pointers: 0, then growing, at last `nonzeros` */
  FILL_CSR_COLUMNS, /* for each row of `rows` distinct columns, ascending */
  FILL_FILE,
  FILL_KINDS
} LintFillKind;
extern const char *const lint_fill_name[FILL_KINDS];

typedef struct {
  LintFillKind kind;
  const Dtype *dtype; /* NULL: of bytes without a number type */
  bool ranged;        /* RANDOM: from `low` up to, but without, `high` */
  LintNumber low, high;
  LintNumber start, step;
  bool seeded; /* with `seed`; else with one that the buffer's place in the launch gives */
  uint64_t seed;
  const char *file;
  uint64_t offset;   /* first byte used in `file` */
  uint64_t nonzeros; /* CSR_ROWS */
  uint64_t columns;  /* CSR_COLUMNS: how many there are; CSR_ROWS: the most of a row, or 0 */
  const char *rows;  /* CSR_COLUMNS: the buffer of row pointers, of the same dtype */
} LintFill;

/* Reads FILL; false if it is none, or lacks the dtype that its numbers need. */
bool lint_fill_read(Arena *a, const char *text, LintFill *f);

/* NULL, or why `bytes` cannot be filled so, for people; a file is not looked at. */
const char *lint_fill_refusal(Arena *a, const LintFill *f, uint64_t bytes);

/* Writes `bytes` of any kind but FILE. seed: unless it has its own. row: of CSR_COLUMNS the row
 * pointers. False, with the reason in *why, where those are none. */
bool lint_fill_write(Arena *a, const LintFill *f, uint64_t seed, const void *row, uint64_t rows,
                     void *to, uint64_t bytes, const char **why);

/* True if a dtype is a single number of at most 8 bytes. */
bool lint_fill_counts(const Dtype *t);

#endif
