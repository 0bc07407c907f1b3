/* lint_inputs.h: what a judgement read, for --repro. */
#ifndef KGEN_LINT_LINT_INPUTS_H
#define KGEN_LINT_LINT_INPUTS_H

#include "lint/lint_args.h"
#include "lint/lint_source.h"

/* The headers that the source includes, directly or not, from its own folder, theirs, or those of
 * --include: all that its text may mean, whatever its macros say. Does nothing without --repro. */
void lint_inputs_headers(const Options *o, const LintSource *s);
/* The files that buffers and variables hold. */
void lint_inputs_data(const Options *o, const LintLaunch *l);

#endif
