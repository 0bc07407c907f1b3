/* SPDX-License-Identifier: MIT */
/* same.h: kgen --same: runs two kernels on equal inputs, compares their outputs, and shows their
 * counts together. Equal outputs also prove that a swizzle was applied to both the stores and the
 * loads. */
#ifndef KGEN_LINT_SAME_H
#define KGEN_LINT_SAME_H

#include "command/options.h"

/* Data goes to stdout, messages to stderr. Returns the exit code. 0: all pairs are equal and there
 * are no findings. 1: otherwise. 2: wrong usage, or launches that cannot be compared. 3: a bad
 * file. 5: a kernel does not compile. */
int lint_same_command(Arena *a, const Options *o, Text *data, Text *messages, Diag *diag);

#endif
