/* SPDX-License-Identifier: MIT */
/* write.h: generates C for the regions of a program. */
#ifndef KGEN_EMU_TRANSLATE_WRITE_H
#define KGEN_EMU_TRANSLATE_WRITE_H

#include "base/text.h"
#include "emu/code/code.h"

/* Appends the functions and the array `native_runs` (native.h) to a text that contains the prelude.
 * Returns the number of functions. */
int write_program(Arena *a, const Program *p, Text *out);

#endif
