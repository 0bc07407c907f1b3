/* lint_findings.h: what a kernel does wrong, once for each line and cause. */
#ifndef KGEN_LINT_FINDINGS_H
#define KGEN_LINT_FINDINGS_H

#include "emu/emu.h"
#include "lint/lint_source.h"

/* The launch's findings in the order of their places, those of one line with one text together. */
EmuFinding *lint_findings(Arena *a, LintSource *s, const EmuResult *result, int *count);

#endif
