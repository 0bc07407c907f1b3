/* buffers.h: the buffers after a launch: those to be dumped, and those with expectations. */
#ifndef KGEN_LINT_REPORT_BUFFERS_H
#define KGEN_LINT_REPORT_BUFFERS_H

#include "lint/input/bind.h"
#include "lint/report/record.h"

/* Writes the files of --dump, and compares with what is expected; r has the outcome. Returns 0, or
 * 1 if something is not as expected, or with the reason in *why 2 or 3: a buffer that there is not,
 * or a file that cannot be read or written. */
int lint_outputs(Arena *a, const EmuMemory *memory, const LintLaunch *launch,
                 const LintBoundArguments *placed, LintReport *r, Diag *why);

#endif
