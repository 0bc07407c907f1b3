/* arrays.h: which shared or local array an instruction's address points into. */
#ifndef KGEN_EMU_CODE_ARRAYS_H
#define KGEN_EMU_CODE_ARRAYS_H

#include "emu/code/code.h"

/* Sets the static shared or local array of every access in a function whose address is, by all of
 * its assignments, the array's address plus something that comes from no array. */
void arrays_find(Arena *arena, Program *program, const FunctionCode *code);

#endif
