/* option_help.h: what `kgen help` prints. */
#ifndef KGEN_COMMAND_OPTION_HELP_H
#define KGEN_COMMAND_OPTION_HELP_H

#include "command/options.h"

/* The screen of all commands. */
void option_help_screen(Text *out);
/* One command: its usage, what it does, its options. */
void option_help(Text *out, Command command);

#endif
