/* registers.h: how many registers a thread of a kernel takes, guessed from its PTX. */
#ifndef KGEN_LIBCUDA_REGISTERS_H
#define KGEN_LIBCUDA_REGISTERS_H

#include "base/arena.h"

/*
 * The most 32-bit registers that are live at once in the order of the text: a register lives from
 * where it first stands to where it last does, and through every loop that it enters from outside.
 * At least 16 and at most 255, and no more than .maxnreg says. ptxas orders instructions anew: for
 * 54 public kernels it takes between 0.5 and 1.5 times as many. 0 if there is no such kernel.
 */
int registers_guess(Arena *scratch, const char *ptx, const char *kernel);

#endif
