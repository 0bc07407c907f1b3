/* SPDX-License-Identifier: MIT */
/* line_assembly.h: corrects the source lines of multi-line inline assembly. LLVM increments the
 * source line for each line of assembly that does not begin with a predicate. This affects Triton's
 * loads and atomics, which first set each destination on a line of its own. Instructions after them
 * without a .loc inherit the last line number. */
#ifndef KGEN_LIBCUDA_IMAGE_LINE_ASSEMBLY_H
#define KGEN_LIBCUDA_IMAGE_LINE_ASSEMBLY_H

#include "libcuda/image/line_table.h"

/* The source location of each line of a PTX text, counted from 1; NULL: unknown. */
typedef struct {
  const LineRow **of;
  int lines;
} LinePlaces;

/* Corrects the incremented source lines in the PTX text `ptx`. */
void line_assembly_undo(Arena *a, LinePlaces *p, const char *ptx);

#endif
