/* command.h: kgen --lint as a command: the report printed, held to a baseline, and written as
 * SARIF. */
#ifndef KGEN_LINT_COMMAND_H
#define KGEN_LINT_COMMAND_H

#include "command/options.h"

/* Data for stdout, messages for stderr. Returns the exit code: 0 clean; 1 findings or more
 * conflicts than --max-conflicts, with --baseline only what is worse than there; 2 usage; 5 the
 * kernel does not compile. */
int lint_command(Arena *a, const Options *o, Text *data, Text *messages);

#endif
