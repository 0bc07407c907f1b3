/* registers.h: estimates the registers of a thread from the kernel's PTX. */
#ifndef KGEN_LIBCUDA_IMAGE_REGISTERS_H
#define KGEN_LIBCUDA_IMAGE_REGISTERS_H

#include <stdint.h>

#include "base/arena.h"

/* Returns the largest number of 32-bit registers that are live at once in the order of the text: a
 * register is live from its first to its last occurrence, and through every loop that it enters
 * from outside. The result is at least 16, and at most 255 or .maxnreg. ptxas reorders
 * instructions: for 54 public kernels it allocates between 0.5 and 1.5 times as many. 0 if there is
 * no such kernel. `steps`, unless NULL, gets how many were taken: about as many as the kernel has
 * words, times the logarithm of its labels. */
int registers_guess(Arena *scratch, const char *ptx, const char *kernel, uint64_t *steps);

#endif
