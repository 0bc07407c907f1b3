/* registers.h: estimates the registers per thread from the kernel's PTX. */
#ifndef KGEN_LIBCUDA_IMAGE_REGISTERS_H
#define KGEN_LIBCUDA_IMAGE_REGISTERS_H

#include <stdint.h>

#include "base/arena.h"

/* Returns the maximum number of 32-bit registers that are live at once, in text order. A register
 * is live from its first to its last occurrence, and through every loop that it enters from
 * outside. The result is at least 16, and at most 255 or .maxnreg. ptxas reorders instructions: for
 * 54 public kernels it allocates 0.5 to 1.5 times as many. 0 if there is no such kernel. `steps`,
 * unless NULL, receives the number of steps: about the number of words in the kernel times the
 * logarithm of its number of labels. */
int registers_guess(Arena *scratch, const char *ptx, const char *kernel, uint64_t *steps);

#endif
