/* SPDX-License-Identifier: MIT */
/* exec_symbols.h: resolves functions and source lines of the program's calls. */
#ifndef KGEN_EXEC_EXEC_SYMBOLS_H
#define KGEN_EXEC_EXEC_SYMBOLS_H

#include "base/scratch.h"
#include "lint/report/stack.h"

/* Names the frames that addr2line of binutils can resolve; without addr2line, frames keep their
 * offsets. Leaves out the frames of the CUDA runtime and of the callers of main. Names of files
 * below the given directory are relative to it. */
void exec_symbols(Arena *a, const Scratch *scratch, const char *folder, LintStack *const *stack,
                  int count);

#endif
