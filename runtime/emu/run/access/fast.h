/* fast.h: the fast path of memory accesses: a warp at once, where nothing is to be reported. */
#ifndef KGEN_EMU_RUN_ACCESS_FAST_H
#define KGEN_EMU_RUN_ACCESS_FAST_H

#include "emu/run/state/block.h"

/* Places the lanes of an unchecked access, in `own` or as its leader did. NULL if the access is
 * judged, or unless all of its lanes are aligned and lie in one buffer or in one space of the
 * block's own: access_resolve then places them one by one, and reports what is wrong. */
const Gather *fast_resolve(Warp *w, const Insn *insn, unsigned bytes, uint32_t active, bool writes,
                           Gather *own);
/* The same of a judged access of shared or global memory. NULL also if a lane lies outside of the
 * array that its address was made from, if the warp holds undefined bits, and if the launch has an
 * observer. */
const Gather *fast_resolve_checked(Warp *w, const Insn *insn, unsigned bytes, uint32_t active,
                                   Gather *own);
/* What the warp remembers of the access or of its leader; NULL if neither is remembered. */
static inline ResolvedLanes *fast_resolved(Warp *w, const MemoryOp *op) {
  return op->leads || op->follows ? &w->placed[op->place] : NULL;
}

#endif
