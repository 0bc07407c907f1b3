/* option_help.h: the text of --help. */
#ifndef KGEN_COMMAND_OPTION_HELP_H
#define KGEN_COMMAND_OPTION_HELP_H

#include "base/text.h"

void option_help(Text *out);

#endif
