/* SPDX-License-Identifier: MIT */
/* wisdom_command.h: kgen --wisdom lists, merges, prunes and exports measurements. */
#ifndef KGEN_TUNE_WISDOM_COMMAND_H
#define KGEN_TUNE_WISDOM_COMMAND_H

#include "command/options.h"

/* The exit code. */
int wisdom_command(Arena *a, const Options *o, Text *data, Text *messages, Diag *diag);

#endif
