/* lean.h: accesses of whole warps at once, where all is as it should be. */
#ifndef KGEN_EMU_LEAN_H
#define KGEN_EMU_LEAN_H

#include "emu/run/block.h"

/* Finds where the lanes of an unjudged access lie; false where the access is judged, or where not
 * all of its lanes are in one buffer or one space of the block's own, aligned: access_resolve then
 * finds them singly, and says what is wrong. */
bool lean_place(Warp *w, const MemoryOp *op, unsigned bytes, uint32_t active, bool writes,
                Gather *g);
/* The same of a judged access of shared or global memory: false also where the array that the
 * address is one of ends before, where the warp holds undefined bits, and where an observer wants
 * to see it. */
bool lean_place_judged(Warp *w, const MemoryOp *op, unsigned bytes, uint32_t active, Gather *g);

#endif
