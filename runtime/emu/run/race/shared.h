/* SPDX-License-Identifier: MIT */
/*
 * shared.h: finds data races in shared memory: conflicting accesses of which neither happens before
 * the other. What it remembers is in cells.h; copies that run beside the threads are in
 * copies.h.
 */
#ifndef KGEN_EMU_RUN_RACE_SHARED_H
#define KGEN_EMU_RUN_RACE_SHARED_H

#include "emu/run/race/kind.h"
#include "emu/run/state/block.h"

/* About how many bytes the detector takes for each byte of shared memory. */
enum { RACE_BYTES = 64 };

/* NULL when out of memory. An unchecked block has none: then every function here does nothing. */
Race *race_new(uint32_t shared_bytes);
void race_free(Race *race);
/* A new block begins: nothing has been accessed. */
void race_start(Race *race);

/* Must be called before threads of the block become ordered by anything but a barrier of all its
 * warps: reads that were put off are noted with the order that they had. */
void race_catch_up(Race *race);

/* All warps of the block meet at a barrier: what they did happens before what they do next. */
void race_block_barrier(Race *race);

/* One warp-wide access, `bytes` at offset[lane] of every active lane; to be called before memory
 * changes. value[lane] are the bytes of a write: one that changes nothing races with no other
 * write. */
void race_access(Warp *w, const Insn *insn, RaceKind kind, uint32_t active,
                 const uint64_t offset[LANES], unsigned bytes, const uint8_t *const value[LANES]);

/* The same in the shared memory of another block of the cluster. */
void race_access_of(Block *owner, Warp *w, const Insn *insn, RaceKind kind, uint32_t active,
                    const uint64_t offset[LANES], unsigned bytes,
                    const uint8_t *const value[LANES]);

#endif
