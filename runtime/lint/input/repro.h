/* repro.h: what a judgement read, for --repro. */
#ifndef KGEN_LINT_INPUT_REPRO_H
#define KGEN_LINT_INPUT_REPRO_H

#include "lint/input/args.h"
#include "lint/input/source.h"

/* The headers that the source includes, directly or not, from its own folder, theirs, or those of
 * --include: all that its text may mean, whatever its macros say. Does nothing without --repro. */
void lint_inputs_headers(const Options *o, const LintSource *s);
/* The files that buffers and variables hold. */
void lint_inputs_data(const Options *o, const LintLaunch *l);

#endif
