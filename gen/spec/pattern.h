/* pattern.h: named shorthands for accesses. Each is nothing but expressions over the flattened
 * tile, so whatever a pattern says can be written out as `for`, `when` and `at`. */
#ifndef KGEN_SPEC_PATTERN_H
#define KGEN_SPEC_PATTERN_H

#include "base/arena.h"

enum { PATTERN_MAX_ARGS = 2 };

/* Who takes the items in turn; a whole warp needs a block of such. */
typedef enum { BY_THREAD, BY_WARP, BY_WHOLE_WARP } PatternTaker;

typedef struct {
  const char *name, *usage; /* usage: with its arguments, "strided(s)" */
  const char *about;        /* one line, for people */
  int args;
  PatternTaker taker;
  const char *items; /* how many items the block works through; $ words as in pattern.c */
  const char *at;    /* linear index of the lane's first element */
  const char *when;  /* lanes that take part, or NULL: all that have an item */
} Pattern;

extern const Pattern pattern_table[];
extern const int pattern_count;

/* What the expressions depend on. */
typedef struct {
  int64_t rows, cols;     /* of the flattened tile; cols a multiple of vector */
  int64_t vector;         /* elements per lane */
  int64_t threads, warps; /* of the block */
  int64_t matrices;       /* of ldmatrix and stmatrix, else 0 */
  int64_t arg[PATTERN_MAX_ARGS];
} PatternShape;

/* Texts of expressions over lane, warp, tid and, if turns > 1, the loop variable `turn`. */
typedef struct {
  int64_t turns;
  const char *at, *when; /* when: NULL if every lane takes part */
} PatternText;

PatternText pattern_write(Arena *a, const Pattern *p, const PatternShape *shape, const char *turn);

/* What the word of a pattern, with its arguments, looks like: a regular expression. */
const char *pattern_regex(Arena *a);

#endif
