/* SPDX-License-Identifier: MIT */
/* option_parse.h: parses the words of the command line into Options. */
#ifndef KGEN_COMMAND_OPTION_PARSE_H
#define KGEN_COMMAND_OPTION_PARSE_H

#include "command/options.h"

/* False on a usage error, with one line per error in *why. */
bool options_parse(Arena *a, int argc, char **argv, Options *out, Diag *diag);

#endif
