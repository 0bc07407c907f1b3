/* option_parse.h: the command line's words to Options. */
#ifndef KGEN_OPTION_PARSE_H
#define KGEN_OPTION_PARSE_H

#include "command/options.h"

/* False, with all mistakes in *why, a line each, on a usage error. */
bool options_parse(Arena *a, int argc, char **argv, Options *out, Text *why);

#endif
