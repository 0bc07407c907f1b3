/*
 * race.h: which accesses to shared memory are ordered, and reports of those that are not.
 *
 * Warps carry vector clocks that barriers of the block join; within a warp, lanes are ordered by
 * what makes them meet (bar.warp.sync, shfl, vote, ...). Fences order through the atomics that
 * surround them. Every 4-byte word remembers its last write and two last readers, single bytes
 * where accesses are narrower.
 */
#ifndef KGEN_EMU_RACE_H
#define KGEN_EMU_RACE_H

#include "emu/run/block.h"

/* NULL when out of memory. uses_fence: the program orders through memory, too. */
Race *race_new(uint32_t shared_bytes, bool uses_fence);
void race_free(Race *race);
/* A new block begins: nothing has been accessed. */
void race_start(Race *race);

typedef enum { RACE_READ, RACE_WRITE, RACE_ATOMIC } RaceKind;

/* One warp-wide access: `bytes` at offset[lane] of every active lane, before it happens.
 * value[lane] are the bytes of a write: one that changes nothing races with no other write. */
void race_access(Warp *w, const Insn *insn, RaceKind kind, uint32_t active,
                 const uint64_t offset[LANES], unsigned bytes, const uint8_t *const value[LANES]);

/* An asynchronous write of a lane is in flight: until it is done nobody may touch the bytes. */
void race_async_issue(Warp *w, unsigned lane, uint32_t offset, unsigned bytes);
void race_async_done(Warp *w, uint32_t offset, unsigned bytes);

/* Lanes of one warp meet: what they did before is ordered before what they do next. */
void race_warp_sync(Warp *w, uint32_t lanes);
/* Warps of a block, a bit each, meet; those of `arrivals` only tell, and do not wait. */
void race_block_sync(Block *block, uint32_t syncs, uint32_t arrivals);

/* A fence of the warp; strong accesses to a location publish what a fence before them saw, and what
 * they find there is seen behind the next one. */
void race_fence(Warp *w);
void race_publish(Warp *w, uint64_t location, bool release);
void race_observe(Warp *w, uint64_t location, bool acquire);

#endif
