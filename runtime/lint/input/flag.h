/* flag.h: --flag: what is passed on to the compilers, and what cannot be. */
#ifndef KGEN_LINT_INPUT_FLAG_H
#define KGEN_LINT_INPUT_FLAG_H

#include "command/options.h"

/* The option as compilers take it: as given if it begins with a dash, else with two before it. */
const char *lint_flag_word(Arena *a, const char *flag);

/* False, with a message for each, if flags are among them that kgen cannot pass on. */
bool lint_flag_check(const Options *o, Diag *why);

#endif
