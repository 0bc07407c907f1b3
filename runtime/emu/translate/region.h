/* SPDX-License-Identifier: MIT */
/* region.h: splits a program into regions, which become C functions. */
#ifndef KGEN_EMU_TRANSLATE_REGION_H
#define KGEN_EMU_TRANSLATE_REGION_H

#include "base/arena.h"
#include "emu/code/code.h"

/* Instructions [start, end) that a warp executes without the scheduler, at least if all lanes
 * are active. A region is entered only at its start; other regions may begin inside it. A branch
 * inside skips instructions for some lanes, up to their reconvergence point, which is at or
 * before `end`. */
typedef struct {
  int32_t start, end;
  /* the instruction at `end` is an unconditional branch target of the region and belongs to it */
  bool branches;
  bool whole; /* contains instructions that need all lanes */
} Region;

typedef struct {
  int count;
  Region *region;
} Regions;

Regions regions_find(Arena *a, const Program *p);

/* How a function's text refers to a register: index into slots, and width as a vector. */
typedef enum { WIDTH_NONE, WIDTH_32, WIDTH_64 } Width;

typedef struct {
  uint8_t width;       /* Width; NONE: never referenced, or of no single width */
  int32_t first, last; /* first and last instruction that refers to it */
} Named;

/* Indexed by the function's slots; first > last if a slot is never referenced. */
Named *registers_find(Arena *a, const Program *p, const FunctionCode *f);

#endif
