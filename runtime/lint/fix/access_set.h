/* access_set.h: the observed accesses to a shared array, as the solver takes them. */
#ifndef KGEN_LINT_FIX_ACCESS_SET_H
#define KGEN_LINT_FIX_ACCESS_SET_H

#include "lint/fix/watch.h"
#include "lint/input/dims.h"

/* A shared array and the instructions that touched it. */
typedef struct {
  const char *name;       /* as in the source */
  uint32_t offset, bytes; /* within the block's shared memory */
  int insns;
  const LintInsn **insn;
  int max_bytes;      /* maximum size of the array in the block */
  uint32_t row_bytes; /* bytes per row in the source; 0: not known */
  uint32_t element;   /* bytes of an element in the source; 0: not known */
  int dims;           /* number of dimensions in the source; 0: not known */
  int64_t dim[LINT_MAX_DIMS];
  bool by_wmma; /* wmma loads or stores it, which take a leading dimension and no formula */
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

/* The bytes from the first to the last that its instructions touch. */
typedef struct {
  uint32_t offset, bytes; /* as in LintArray */
} LintSpan;
LintSpan lint_set_span(const LintArray *array);

/* The maximum size of a layout of it: twice its bytes, four times for a small array, limited by
 * the block. Pads wider than the rows are not practical. */
int lint_set_most_bytes(const LintArray *array);

/* How many distinct access patterns there are, ignoring where they begin; at most LINT_MAX_SHAPES +
 * 1. The time of a search grows with it, to minutes where addresses depend on data. */
enum { LINT_FEW_SHAPES = 8, LINT_MAX_SHAPES = 24 };
int lint_set_shapes(const LintArray *array);

/* Row widths that the distances of colliding lanes suggest, in elements, the likeliest first. */
enum { LINT_MAX_WIDTHS = 6 };
typedef struct {
  int count;
  int width[LINT_MAX_WIDTHS];
  bool clear; /* most neighbours are the first one's distance apart */
} LintWidths;
LintWidths lint_set_widths(const LintArray *array, LintElements e);

/* The array as rows of `cols` elements, or as one dimension if cols is 0. NULL if a lane's elements
 * would cross the end of a row or begin within their own size. */
const AccessSet *lint_set_new(Arena *a, const LintArray *array, LintElements e, int cols,
                              Want want);

/* The instruction of each access of that set, and how often each of its warps was executed. */
typedef struct {
  const LintInsn **insn;
  const uint64_t **times;
} LintOrigin;
LintOrigin lint_set_origin(Arena *a, const LintArray *array, const AccessSet *set);

/* Wavefronts of all executions seen: as they were, and under a layout of that set. */
uint64_t lint_set_plain(const LintArray *array);
uint64_t lint_set_cost(const LintArray *array, LintElements e, const KgenLayout *l);
/* The fewest that they could take. */
uint64_t lint_set_ideal(const LintArray *array);
/* Executions of its instructions, by warps. */
uint64_t lint_set_executions(const LintArray *array);

#endif
