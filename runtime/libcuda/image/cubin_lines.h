/*
 * cubin_lines.h: source lines of the PTX in machine code. ptxas takes .loc and .file out of the PTX
 * that it leaves there, but says which source line each of its instructions comes from
 * (.debug_line), and which line of the PTX (.nv_debug_line_sass).
 */
#ifndef KGEN_LIBCUDA_IMAGE_CUBIN_LINES_H
#define KGEN_LIBCUDA_IMAGE_CUBIN_LINES_H

#include "libcuda/image/cubin.h"

/* Gives the units that cubin_ptx() found in their machine code .loc and .file again; the number of
 * each line stays. An instruction of which ptxas made nothing has the line of its neighbours. */
void cubin_lines_restore(Arena *a, PtxUnit *unit, int units);

#endif
