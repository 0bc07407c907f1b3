/*
 * line_assembly.h: source lines of inline assembly of several lines. LLVM counts a source line up
 * for each of them, but for those that begin with a predicate. Triton's loads and atomics are such:
 * they first set their destinations, in a line each. What follows without a .loc of its own
 * inherits the last one.
 */
#ifndef KGEN_LIBCUDA_IMAGE_LINE_ASSEMBLY_H
#define KGEN_LIBCUDA_IMAGE_LINE_ASSEMBLY_H

#include "libcuda/image/line_table.h"

/* Where each line of a text comes from, from line 1; NULL: it is not known. */
typedef struct {
  const LineRow **of;
  int lines;
} LinePlaces;

/* Counts back what was counted in the text at `ptx`. */
void line_assembly_undo(Arena *a, LinePlaces *p, const char *ptx);

#endif
