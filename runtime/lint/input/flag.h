/* SPDX-License-Identifier: MIT */
/* flag.h: --flag: the flags that are passed on to the compilers. */
#ifndef KGEN_LINT_INPUT_FLAG_H
#define KGEN_LINT_INPUT_FLAG_H

#include "command/options.h"

/* The flag in the compilers' form: unchanged if it begins with a dash, else with "--" before it. */
const char *lint_flag_word(Arena *a, const char *flag);

/* False, with a message for each, if there are flags that kgen cannot pass on. */
bool lint_flag_check(const Options *o, Diag *why);

#endif
