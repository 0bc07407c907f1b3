/* SPDX-License-Identifier: MIT */
/* counters.h: counts shared-memory wavefronts and global-memory sectors per instruction. */
#ifndef KGEN_EMU_RUN_ACCESS_COUNTERS_H
#define KGEN_EMU_RUN_ACCESS_COUNTERS_H

#include "emu/run/state/block.h"
#include "emu/run/state/box.h"

/* Reports an access to the launch's observer, if it has one: global memory and copies at once,
 * other accesses to shared memory later, together with their repetitions by the same worker.
 * source: for the shared-memory side of cp.async, the addresses that its lanes copy from; else
 * NULL. */
void counters_observe(const Warp *w, const Insn *insn, EmuAccessKind kind, EmuSpace space,
                      unsigned bytes, uint32_t active, const uint64_t address[LANES],
                      const uint64_t *source);
/* Reports a worker's pending events to the observer, and frees them. */
void counters_flush(const Launch *launch, PendingEvents *pending);
/* Like counters_observe(), for bytes of shared memory that the async proxy accesses; reported as an
 * access by lane 0. box: the box of a tensor copy, or NULL. */
void counters_observe_async(const Warp *w, const Insn *insn, EmuAccessKind kind, uint32_t at,
                            uint32_t bytes, const Box *box);
/* Counts one execution by the `active` lanes, all of which are within bounds. */
void counters_add(Warp *w, const Insn *insn, EmuAccessKind kind, EmuSpace space, unsigned bytes,
                  uint32_t active, const uint64_t address[LANES], const uint64_t *source);
/* Like counters_add(), for a load that fast_resolve_checked() has resolved to these addresses. */
void counters_add_fast(Warp *w, const Insn *insn, unsigned bytes, uint32_t active, const Gather *g,
                       const uint64_t address[LANES]);
/* Counts one wgmma of a warpgroup whose operand reads took `wavefronts` wavefronts. */
void counters_add_wgmma(Warp *w, const Insn *insn, uint32_t wavefronts);
/* Counts one bulk copy: `bytes` bytes in shared memory; in global memory, `sectors` sectors of
 * which `used` bytes are used. */
void counters_bulk(Warp *w, const Insn *insn, EmuAccessKind kind, uint32_t bytes, uint64_t sectors,
                   uint64_t used);
/* Adds one host thread's counter to another thread's counter for the same site and space. */
void counters_merge(EmuAccess *into, const EmuAccess *from);

#endif
