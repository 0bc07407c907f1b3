/* SPDX-License-Identifier: MIT */
/* repro.h: records the files that a check has read, for --repro. */
#ifndef KGEN_LINT_INPUT_REPRO_H
#define KGEN_LINT_INPUT_REPRO_H

#include "lint/input/args.h"
#include "lint/input/source.h"

/* Records the headers that the source includes, directly or indirectly, from its own directory, the
 * including file's directory, or --include. Ignores macros, so that all possible includes are
 * recorded. Does nothing without --repro. */
void lint_inputs_headers(const Options *o, const LintSource *s);
/* Records the files that buffers and variables are filled from. */
void lint_inputs_data(const Options *o, const LintLaunch *l);

#endif
