/* lean.h: accesses of whole warps at once, where all is as it should be. */
#ifndef KGEN_EMU_LEAN_H
#define KGEN_EMU_LEAN_H

#include "emu/run/block.h"

/* Finds where the lanes of an unjudged access lie, in `own` or as its leader did; NULL where the
 * access is judged, or where not all of its lanes are in one buffer or one space of the block's
 * own, aligned: access_resolve then finds them singly, and says what is wrong. */
const Gather *lean_place(Warp *w, const Insn *insn, unsigned bytes, uint32_t active, bool writes,
                         Gather *own);
/* The same of a judged access of shared or global memory: NULL also where the array that the
 * address is one of ends before, where the warp holds undefined bits, and where an observer wants
 * to see it. */
const Gather *lean_place_judged(Warp *w, const Insn *insn, unsigned bytes, uint32_t active,
                                Gather *own);
/* What the warp remembers of the access or its leader; NULL: nothing. */
static inline Placed *lean_placed(Warp *w, const MemoryOp *op) {
  return op->leads || op->follows ? &w->placed[op->place] : NULL;
}

#endif
