/* arrays.h: which shared or local array an instruction's address is one of. */
#ifndef KGEN_EMU_ARRAYS_H
#define KGEN_EMU_ARRAYS_H

#include "emu/code/code.h"

/* Names the static shared or local array of every access of a function whose address is, by all of
 * its assignments, that array's plus something that comes from no array. */
void arrays_find(Arena *arena, Program *program, const FunctionCode *code);

#endif
