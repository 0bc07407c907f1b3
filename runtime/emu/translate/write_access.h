/* SPDX-License-Identifier: MIT */
/* write_access.h: generates C for loads and stores. */
#ifndef KGEN_EMU_TRANSLATE_WRITE_ACCESS_H
#define KGEN_EMU_TRANSLATE_WRITE_ACCESS_H

#include "emu/translate/state.h"

/* Appends the access; false, and nothing is appended, where the interpreter's function is
 * called. */
bool write_access(State *s, Arena *a, const Insn *insn);

#endif
