/* SPDX-License-Identifier: MIT */
/* tune_command.h: kgen --tune. */
#ifndef KGEN_TUNE_TUNE_COMMAND_H
#define KGEN_TUNE_TUNE_COMMAND_H

#include "command/options.h"

/* The exit code. */
int tune_command(Arena *a, const Options *o, Text *data, Text *messages, Diag *diag);

#endif
