/* dims.h: the dimensions that the source gives a shared array. PTX knows its bytes alone. */
#ifndef KGEN_LINT_INPUT_DIMS_H
#define KGEN_LINT_INPUT_DIMS_H

#include "base/arena.h"

/* Bytes of a row, the last dimension, of `__shared__ T name[A][B]` in a C++ text, for an array of
 * `bytes` in all; 0 if there are no rows, or they are unknown: one dimension may be neither a
 * number nor a macro or a constant of one, if T is known. */
uint32_t lint_dims_row(Arena *a, const char *text, const char *name, uint32_t bytes);

#endif
