/* region.h: the parts of a program that become functions of C. */
#ifndef KGEN_EMU_TRANSLATE_REGION_H
#define KGEN_EMU_TRANSLATE_REGION_H

#include "base/arena.h"
#include "emu/code/code.h"

/* Instructions [start, end) after which a warp goes on by itself, of all lanes at least. They are
 * entered at the first one only; others of them may begin regions of their own. A branch within
 * skips some for lanes that it takes to where all meet again, which is not behind `end`. */
typedef struct {
  int32_t start, end;
  bool branches; /* the instruction at `end` is a branch to one place, and belongs to it */
  bool whole;    /* it has instructions that need all lanes */
} Region;

typedef struct {
  int count;
  Region *region;
} Regions;

Regions regions_find(Arena *a, const Program *p);

/* How a function's text names a register: an index into slots, its width as a vector. */
typedef enum { WIDTH_NONE, WIDTH_32, WIDTH_64 } Width;

typedef struct {
  uint8_t width;       /* Width; NONE: never named, or no register of one */
  int32_t first, last; /* the instructions of the program that name it */
} Named;

/* By slot of the function; first > last where it is not named. */
Named *registers_find(Arena *a, const Program *p, const FunctionCode *f);

#endif
