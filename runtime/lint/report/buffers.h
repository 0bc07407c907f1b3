/* SPDX-License-Identifier: MIT */
/* buffers.h: the buffers after a launch: dumps, and comparisons with expectations. */
#ifndef KGEN_LINT_REPORT_BUFFERS_H
#define KGEN_LINT_REPORT_BUFFERS_H

#include "lint/input/bind.h"
#include "lint/report/record.h"

/* Writes the files of --dump, and compares buffers with the expected contents; the results are
 * stored in r. Returns 0; 1 if a buffer differs from what is expected; or 2 or 3, with the reason
 * in *why, for an unknown buffer name or a file that cannot be read or written. */
int lint_outputs(Arena *a, const EmuMemory *memory, const LintLaunch *launch,
                 const LintBoundArguments *placed, LintReport *r, Diag *why);

#endif
