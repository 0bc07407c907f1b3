/* SPDX-License-Identifier: MIT */
/*
 * remote_clock.h: vector clocks over the warps of all blocks outside of a cluster: for each warp
 * the tick of the latest release that was acquired.
 *
 * They are immutable trees over the blocks of a launch that share equal subtrees: in a chain of
 * thousands of blocks, each of which has acquired all before it, a link costs one path. All trees
 * of a launch belong to one pool, which several host threads may use.
 */
#ifndef KGEN_EMU_RUN_RACE_REMOTE_CLOCK_H
#define KGEN_EMU_RUN_RACE_REMOTE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "emu/run/race/attempts.h"
#include "emu/run/race/clock.h"

typedef struct RemoteClockPool RemoteClockPool;
/* A tree; NULL: empty. Its holder releases it by remote_clock_set(pool, &it, NULL). */
typedef struct RemoteClock RemoteClock;

/* A pool for that number of blocks and of warps per block; NULL when out of memory. */
RemoteClockPool *remote_clock_pool_new(uint64_t blocks, int warps);
void remote_clock_pool_free(RemoteClockPool *pool);
/* True if memory did not suffice: then everything counts as ordered, so that no race is invented.
 */
bool remote_clock_is_full(const RemoteClockPool *pool);

/* Each replaces *to: by its join with another tree or with the clock of one block's warps, or by
 * another tree. */
void remote_clock_join(RemoteClockPool *pool, RemoteClock **to, RemoteClock *more);
void remote_clock_add(RemoteClockPool *pool, RemoteClock **to, uint32_t block, const Clock *clock,
                      int first);
void remote_clock_set(RemoteClockPool *pool, RemoteClock **to, RemoteClock *value);
/* A release at a location in memory, and an acquire there. Locations may share an entry of a table:
 * that only orders more. */
void remote_clock_publish(RemoteClockPool *pool, uint64_t location, RemoteClock *released);
void remote_clock_observe(RemoteClockPool *pool, uint64_t location, RemoteClock **to);

/* Attempts of releases between clusters. */
void remote_clock_attempt(RemoteClockPool *pool, const Attempt *release);
void remote_clock_attempt_acquire(RemoteClockPool *pool, uint64_t location, AttemptSide acquire);
/* A copy, without its ticks; insn NULL: there is none. */
Attempt remote_clock_find_attempt(RemoteClockPool *pool, uint32_t block, int slots_of_block,
                                  int slot, uint32_t tick);

/* True if the tree has that tick, or a later one, of a lane of the block's warp. */
bool remote_clock_has(const RemoteClockPool *pool, const RemoteClock *clock, uint32_t block,
                      int warp, unsigned lane, uint32_t tick);

#endif
