/* SPDX-License-Identifier: MIT */
/* cubin_lines.h: restores the source lines of PTX in machine code. ptxas removes .loc and .file
 * from the PTX that it embeds. It records the source line of each machine instruction in
 * .debug_line, and the PTX line in .nv_debug_line_sass. */
#ifndef KGEN_LIBCUDA_IMAGE_CUBIN_LINES_H
#define KGEN_LIBCUDA_IMAGE_CUBIN_LINES_H

#include "libcuda/image/cubin.h"

/* Inserts .loc and .file into the units that cubin_ptx() found, from their machine code; line
 * numbers of the PTX do not change. A PTX instruction without machine code gets the source line of
 * its neighbours. */
void cubin_lines_restore(Arena *a, PtxUnit *unit, int units);

#endif
