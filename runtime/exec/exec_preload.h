/* SPDX-License-Identifier: MIT */
/* exec_preload.h: selects the libraries that are preloaded into a program. */
#ifndef KGEN_EXEC_EXEC_PRELOAD_H
#define KGEN_EXEC_EXEC_PRELOAD_H

#include "base/arena.h"

/* The value of LD_PRELOAD for the program: the preload library of kgen's directory, then the
 * current value. The library of a sanitizer must be the first: a program with a sanitizer gets the
 * current value, NULL if it is not set. */
const char *exec_preload(Arena *a, const char *program, const char *folder);

#endif
