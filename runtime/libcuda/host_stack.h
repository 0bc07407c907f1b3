/* host_stack.h: the calls of the program that led here. */
#ifndef KGEN_LIBCUDA_HOST_STACK_H
#define KGEN_LIBCUDA_HOST_STACK_H

#include "lint/lint_stack.h"

/* From the call into this library on, which is left out itself. */
LintStack host_stack(Arena *a);

#endif
