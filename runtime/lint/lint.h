/* lint.h: kgen --lint. Anybody's kernel, executed on the emulator: bank conflicts by source line
 * with a layout that removes them, traffic of global memory, and what the kernel does wrong. */
#ifndef KGEN_LINT_H
#define KGEN_LINT_H

#include "lint/lint_report.h"

/* Called once with what a launch showed; what the report points to lives as long as the call. */
typedef void LintTake(void *context, const LintReport *r);

/* Compiles, launches and judges one kernel. Returns the exit code: 0 clean, 1 findings or more
 * conflicts than --max-conflicts, 2 usage, 5 the kernel does not compile; from 2 on nothing was
 * taken, and *messages says why. */
int lint_judge(Arena *a, const Options *o, LintTake *take, void *context, Text *messages);

#endif
