/* counters.h: wavefronts in shared memory and sectors of global memory, an instruction each. */
#ifndef KGEN_EMU_RUN_ACCESS_COUNTERS_H
#define KGEN_EMU_RUN_ACCESS_COUNTERS_H

#include "emu/run/state/block.h"
#include "emu/run/state/box.h"

/* Calls the launch's observer, if there is one. source: of a cp.async's shared side, where its
 * lanes copy from; else NULL. */
void counters_observe(const Warp *w, const Insn *insn, EmuAccessKind kind, EmuSpace space,
                      unsigned bytes, uint32_t active, const uint64_t address[LANES],
                      const uint64_t *source);
/* The same for bytes that the async proxy touches in shared memory, as an access of lane 0. box:
 * the tensor copy's box, or NULL. */
void counters_observe_async(const Warp *w, const Insn *insn, EmuAccessKind kind, uint32_t at,
                            uint32_t bytes, const Box *box);
/* Counts one execution by the `active` lanes, all of which are within bounds. */
void counters_add(Warp *w, const Insn *insn, EmuAccessKind kind, EmuSpace space, unsigned bytes,
                  uint32_t active, const uint64_t address[LANES], const uint64_t *source);
/* The same of a load that fast_resolve_checked has placed, at those addresses. */
void counters_add_fast(Warp *w, const Insn *insn, unsigned bytes, uint32_t active, const Gather *g,
                       const uint64_t address[LANES]);
/* Counts one wgmma of a warpgroup, which read its operands in so many wavefronts. */
void counters_add_wgmma(Warp *w, const Insn *insn, uint32_t wavefronts);
/* Counts one bulk copy of so many bytes on its side in shared memory, and in global memory, where
 * it touches so many sectors and uses so many bytes of them. */
void counters_bulk(Warp *w, const Insn *insn, EmuAccessKind kind, uint32_t bytes, uint64_t sectors,
                   uint64_t used);
/* Adds one host thread's counter to another's of the same site and space. */
void counters_merge(EmuAccess *into, const EmuAccess *from);

#endif
