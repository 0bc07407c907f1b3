/* SPDX-License-Identifier: MIT */
/* option_help.h: the output of `kgen help`. */
#ifndef KGEN_COMMAND_OPTION_HELP_H
#define KGEN_COMMAND_OPTION_HELP_H

#include "command/options.h"

/* Writes the screen that lists all commands. */
void option_help_screen(Text *out);
/* Writes the help of one command: its usage, description and options. */
void option_help(Text *out, Command command);

#endif
