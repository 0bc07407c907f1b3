/* SPDX-License-Identifier: MIT */
/* fill.h: initial contents of a buffer. FILL = zero | random[=LOW..HIGH] | constant=V |
 * iota[=START[..STEP]] | permutation | FILE on the command line. lint.yaml spells these out, and
 * also has fills for the parts of sparse matrices [docs/reference/arguments-and-lint-yaml.md]. */
#ifndef KGEN_LINT_INPUT_FILL_H
#define KGEN_LINT_INPUT_FILL_H

#include "lint/input/number.h"

typedef enum {
  FILL_RANDOM, /* bytes; with a dtype finite numbers as in value_fill(), or from a range */
  FILL_ZERO,
  FILL_CONSTANT,    /* `start`, everywhere */
  FILL_IOTA,        /* start, start + step, ... */
  FILL_PERMUTATION, /* the numbers 0 to count - 1, permuted */
  FILL_CSR_ROWS,    /* row pointers: 0, then ascending to `nonzeros` */
  FILL_CSR_COLUMNS, /* for each row of `rows`, distinct columns in ascending order */
  FILL_FILE,
  FILL_KINDS
} LintFillKind;
extern const char *const lint_fill_name[FILL_KINDS];

typedef struct {
  LintFillKind kind;
  const Dtype *dtype; /* NULL: bytes without a number type */
  bool ranged;        /* RANDOM: at least `low` and below `high` */
  LintNumber low, high;
  LintNumber start, step;
  bool seeded; /* uses `seed`; else a seed from the buffer's position in the launch */
  uint64_t seed;
  const char *file;
  uint64_t offset;   /* offset of the first byte used in `file` */
  uint64_t nonzeros; /* CSR_ROWS */
  uint64_t columns;  /* CSR_COLUMNS: number of columns; CSR_ROWS: maximum per row, or 0 */
  const char *rows;  /* CSR_COLUMNS: the buffer of row pointers, of the same dtype */
} LintFill;

/* Parses a FILL; false if it is none, or if its numbers need a dtype that is missing. */
bool lint_fill_read(Arena *a, const char *text, LintFill *f);

/* NULL, or the reason why `bytes` bytes cannot be filled this way, for people; does not inspect
 * files. */
const char *lint_fill_refusal(Arena *a, const LintFill *f, uint64_t bytes);

/* Writes `bytes` bytes of any kind except FILE. seed: used if the fill has none. row: for
 * CSR_COLUMNS, the row pointers. False, with the reason in *why, if they are invalid. */
bool lint_fill_write(Arena *a, const LintFill *f, uint64_t seed, const void *row, uint64_t rows,
                     void *to, uint64_t bytes, const char **why);

/* True if a dtype is a single number of at most 8 bytes. */
bool lint_fill_counts(const Dtype *t);

#endif
