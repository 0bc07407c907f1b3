/* same.h: kgen --same: runs two kernels on equal inputs, compares their results, and shows
 * their counts side by side. It shows what counts alone do not: that a swizzle was applied on both
 * sides. */
#ifndef KGEN_LINT_SAME_H
#define KGEN_LINT_SAME_H

#include "command/options.h"

/* Data for stdout, messages for stderr. Returns the exit code: 0 where all pairs are equal and
 * nothing was found; 1; 2 usage, or launches that cannot be compared; 3 a bad file; 5 a kernel that
 * does not compile. */
int lint_same_command(Arena *a, const Options *o, Text *data, Text *messages);

#endif
