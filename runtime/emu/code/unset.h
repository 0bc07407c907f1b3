/* SPDX-License-Identifier: MIT */
/* unset.h: registers that a kernel may read before it writes them. */
#ifndef KGEN_EMU_CODE_UNSET_H
#define KGEN_EMU_CODE_UNSET_H

#include "emu/code/code.h"

/* Sets Program.unset: the registers of the kernel's function, except those that are written on
 * every path to each use. */
void unset_find(Arena *arena, Program *p);

#endif
