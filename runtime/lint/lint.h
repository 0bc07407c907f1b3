/* lint.h: kgen --lint. Anybody's kernel, executed on the emulator: bank conflicts by source line
 * with a layout that removes them, traffic of global memory, and what the kernel does wrong. */
#ifndef KGEN_LINT_H
#define KGEN_LINT_H

#include "command/options.h"

/* Data for stdout, messages for stderr. Returns the exit code: 0 clean, 1 findings or more
 * conflicts than --max-conflicts, 2 usage, 5 the kernel does not compile. */
int lint_command(Arena *a, const Options *o, Text *data, Text *messages);

#endif
