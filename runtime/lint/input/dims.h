/* SPDX-License-Identifier: MIT */
/* dims.h: finds the dimensions of a shared array in the source, because PTX only contains its size
 * in bytes. */
#ifndef KGEN_LINT_INPUT_DIMS_H
#define KGEN_LINT_INPUT_DIMS_H

#include "base/arena.h"

enum { LINT_MAX_DIMS = 8 };

/* The declaration `__shared__ T name[A][B]` of an array. */
typedef struct {
  uint32_t row;     /* bytes of the last dimension; 0: there are no rows, or they are unknown */
  uint32_t element; /* bytes of a T; 0: unknown */
  int dims;         /* number of dimensions; 0: one of them is unknown */
  int64_t dim[LINT_MAX_DIMS];
} LintDims;

/* Finds the declaration of an array with `bytes` bytes in C++ text. One dimension may be unknown
 * (neither a number nor a macro or constant) if T is known; its rows are then still found. */
LintDims lint_dims_find(Arena *a, const char *text, const char *name, uint32_t bytes);

#endif
