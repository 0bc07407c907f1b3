/* SPDX-License-Identifier: MIT */
/* stack.h: the call stack of the program. */
#ifndef KGEN_LIBCUDA_WATCH_STACK_H
#define KGEN_LIBCUDA_WATCH_STACK_H

#include "lint/report/stack.h"

/* Returns the frames from the call into this library outwards, without this library's frames. Their
 * strings live as long as the process. The caller holds the lock. */
LintStack host_stack(Arena *a);

#endif
