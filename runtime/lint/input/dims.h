/* dims.h: the dimensions that the source gives a shared array. PTX knows its bytes alone. */
#ifndef KGEN_LINT_INPUT_DIMS_H
#define KGEN_LINT_INPUT_DIMS_H

#include "base/arena.h"

enum { LINT_MAX_DIMS = 8 };

/* The declaration `__shared__ T name[A][B]` of an array. */
typedef struct {
  uint32_t row;     /* bytes of the last dimension; 0: there are no rows, or they are unknown */
  uint32_t element; /* bytes of a T; 0: not known */
  int dims;         /* 0: one of them is not known */
  int64_t dim[LINT_MAX_DIMS];
} LintDims;

/* The declaration in a C++ text of an array of `bytes` in all. For its rows one dimension may be
 * neither a number nor a macro or a constant of one, if T is known. */
LintDims lint_dims_find(Arena *a, const char *text, const char *name, uint32_t bytes);

#endif
