/* SPDX-License-Identifier: MIT */
/* pattern.h: named shorthands for accesses. Each consists only of expressions over the flattened
 * tile, so it can also be written as `for`, `when` and `at`. */
#ifndef KGEN_SPEC_PATTERN_H
#define KGEN_SPEC_PATTERN_H

#include "base/arena.h"

enum { PATTERN_MAX_ARGS = 2 };

/* The unit to which items are assigned round-robin. BY_WHOLE_WARP needs a block of whole warps. */
typedef enum { BY_THREAD, BY_WARP, BY_WHOLE_WARP } PatternTaker;

typedef struct {
  const char *name, *usage; /* usage: with its arguments, "strided(s)" */
  const char *about;        /* one-line description */
  int args;
  PatternTaker taker;
  const char *items; /* number of items for the block; $ words as in pattern.c */
  const char *at;    /* linear index of the lane's first element */
  const char *when;  /* lanes that take part, or NULL: all that have an item */
} Pattern;

extern const Pattern pattern_table[];
extern const int pattern_count;

/* The quantities that the expressions depend on. */
typedef struct {
  int64_t rows, cols;     /* size of the flattened tile; cols is a multiple of vector */
  int64_t vector;         /* elements per lane */
  int64_t threads, warps; /* size of the block */
  int64_t matrices;       /* for ldmatrix and stmatrix, else 0 */
  int64_t arg[PATTERN_MAX_ARGS];
} PatternShape;

/* Texts of expressions over lane, warp, tid and, if turns > 1, the loop variable `turn`. */
typedef struct {
  int64_t turns;
  const char *at, *when; /* when: NULL if every lane takes part */
} PatternText;

PatternText pattern_write(Arena *a, const Pattern *p, const PatternShape *shape, const char *turn);

/* A regular expression for a pattern's name with its arguments. */
const char *pattern_regex(Arena *a);

#endif
