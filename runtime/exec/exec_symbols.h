/* exec_symbols.h: functions and lines of the program's calls. */
#ifndef KGEN_EXEC_EXEC_SYMBOLS_H
#define KGEN_EXEC_EXEC_SYMBOLS_H

#include "base/scratch.h"
#include "lint/report/stack.h"

/* Names the frames that addr2line of binutils can resolve, which exists wherever programs are
 * built; without it, frames keep their offsets. Leaves out the frames of CUDA's runtime and of what
 * called main. Files below `folder` are named from there on. */
void exec_symbols(Arena *a, const Scratch *scratch, const char *folder, LintStack *const *stack,
                  int count);

#endif
