/* SPDX-License-Identifier: MIT */
/* command.h: kgen --lint: prints the report, compares it with a baseline, and writes SARIF. */
#ifndef KGEN_LINT_COMMAND_H
#define KGEN_LINT_COMMAND_H

#include "command/options.h"

/* Data goes to stdout, messages to stderr. Returns the exit code. 0: clean. 1: findings, or more
 * conflicts than --max-conflicts; with --baseline, only if something got worse. 2: wrong usage. 5:
 * the kernel does not compile. */
int lint_command(Arena *a, const Options *o, Text *data, Text *messages, Diag *diag);

#endif
