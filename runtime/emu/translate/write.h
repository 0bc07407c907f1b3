/* write.h: a program's regions as C. */
#ifndef KGEN_EMU_TRANSLATE_WRITE_H
#define KGEN_EMU_TRANSLATE_WRITE_H

#include "base/text.h"
#include "emu/code/code.h"

/* Appends the functions and the array `native_runs` (native.h) to a text that has the prelude.
 * Returns how many functions there are. */
int write_program(Arena *a, const Program *p, Text *out);

#endif
