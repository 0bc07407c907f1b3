/* SPDX-License-Identifier: MIT */
/* fast.h: the fast path of memory accesses, which handles all lanes of a warp at once and reports
 * nothing. */
#ifndef KGEN_EMU_RUN_ACCESS_FAST_H
#define KGEN_EMU_RUN_ACCESS_FAST_H

#include "emu/run/state/block.h"

/* Fast path of an unchecked access: resolves the lane addresses into `own`, or reuses the leader's.
 * Returns NULL if the launch is checked, or if the lanes are not all aligned and within one buffer
 * or one block-private space. The caller then uses access_resolve(), which goes lane by lane and
 * reports errors. */
const Gather *fast_resolve(Warp *w, const Insn *insn, unsigned bytes, uint32_t active, bool writes,
                           Gather *own);
/* Fast path of a checked load from shared, global, constant or parameter memory. Also returns NULL
 * if a lane is outside the array that its address was derived from, or if the warp holds undefined
 * bits. */
const Gather *fast_resolve_checked(Warp *w, const Insn *insn, unsigned bytes, uint32_t active,
                                   Gather *own);
/* The remembered addresses of the access or of its leader; NULL if neither is remembered. */
static inline ResolvedLanes *fast_resolved(Warp *w, const MemoryOp *op) {
  return op->leads || op->follows ? &w->placed[op->place] : NULL;
}

#endif
