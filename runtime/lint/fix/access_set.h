/* SPDX-License-Identifier: MIT */
/* access_set.h: converts the observed accesses to a shared array to a set for the solver. */
#ifndef KGEN_LINT_FIX_ACCESS_SET_H
#define KGEN_LINT_FIX_ACCESS_SET_H

#include "lint/fix/watch.h"
#include "lint/input/dims.h"

/* A shared array and the instructions that accessed it. */
typedef struct {
  const char *name;       /* as in the source */
  uint32_t offset, bytes; /* within the block's shared memory */
  int insns;
  const LintInsn **insn;
  int max_bytes;      /* maximum size of the array in the block */
  uint32_t row_bytes; /* bytes per row in the source; 0: unknown */
  uint32_t element;   /* bytes per element in the source; 0: unknown */
  int dims;           /* number of dimensions in the source; 0: unknown */
  int64_t dim[LINT_MAX_DIMS];
  bool by_wmma; /* accessed by wmma, which takes a leading dimension and no formula */
  LintLaid laid;
  /* For the part that its instructions access: dynamic memory holds several arrays. */
  LintLaid touched;
} LintArray;

/* The array's elements: the largest size of which all accesses are multiples. */
typedef struct {
  int bytes; /* per element */
  int count;
} LintElements;

LintElements lint_set_elements(const LintArray *array);

/* The range from the first to the last byte that its instructions access. */
typedef struct {
  uint32_t offset, bytes; /* as in LintArray */
} LintSpan;
LintSpan lint_set_span(const LintArray *array);

/* The maximum size of a layout of it: twice its bytes, four times for a small array, limited by
 * the block. Pads wider than the rows are not practical. */
int lint_set_most_bytes(const LintArray *array);

/* The number of distinct access patterns, ignoring their starts; at most LINT_MAX_SHAPES + 1. The
 * time of a search grows with it, to minutes if addresses depend on data. */
enum { LINT_FEW_SHAPES = 8, LINT_MAX_SHAPES = 24 };
int lint_set_shapes(const LintArray *array);

/* Row widths in elements that the distances of colliding lanes suggest, likeliest first. */
enum { LINT_MAX_WIDTHS = 6 };
typedef struct {
  int count;
  int width[LINT_MAX_WIDTHS];
  bool clear; /* most neighbours have the first width as their distance */
} LintWidths;
LintWidths lint_set_widths(const LintArray *array, LintElements e);

/* The array as rows of `cols` elements, or as one dimension if cols is 0. NULL if a lane's elements
 * would cross the end of a row or begin within their own size. */
const AccessSet *lint_set_new(Arena *a, const LintArray *array, LintElements e, int cols,
                              Want want);

/* The instruction of each access of that set, and the number of executions of each of its warps. */
typedef struct {
  const LintInsn **insn;
  const uint64_t **times;
} LintOrigin;
LintOrigin lint_set_origin(Arena *a, const LintArray *array, const AccessSet *set);

/* Wavefronts of all observed executions: as executed, and under a layout of that set. */
uint64_t lint_set_plain(const LintArray *array);
uint64_t lint_set_cost(const LintArray *array, LintElements e, const KgenLayout *l);
/* The minimum number of wavefronts for them. */
uint64_t lint_set_ideal(const LintArray *array);
/* The number of executions of its instructions, counted per warp. */
uint64_t lint_set_executions(const LintArray *array);

#endif
