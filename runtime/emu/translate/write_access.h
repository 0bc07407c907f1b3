/* write_access.h: loads and stores as C. */
#ifndef KGEN_EMU_TRANSLATE_WRITE_ACCESS_H
#define KGEN_EMU_TRANSLATE_WRITE_ACCESS_H

#include "emu/translate/state.h"

/* Appends the access; false, and nothing is appended, where the interpreter's function is called.
 */
bool write_access(State *s, Arena *a, const Insn *insn);

/* Calls the interpreter's function for the lanes of `active`, an expression, within a branch of the
 * text: `returns` are the registers that it may write. */
void write_slow(State *s, Arena *a, const Insn *insn, const char *active);

#endif
