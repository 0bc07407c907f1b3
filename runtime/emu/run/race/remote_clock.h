/*
 * remote_clock.h: a warp's vector clock over the warps of all other blocks: the tick that each of
 * them had reached when it released what this warp acquired.
 *
 * The clocks are immutable trees over the blocks of a launch that share equal subtrees: in a chain
 * of thousands of blocks, each of which has acquired all before it, a link costs one path. All
 * trees of a launch belong to one pool, which several host threads may use.
 */
#ifndef KGEN_EMU_RUN_RACE_REMOTE_CLOCK_H
#define KGEN_EMU_RUN_RACE_REMOTE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct RemoteClockPool RemoteClockPool;
/* A tree; NULL: nothing is known. Who holds one releases it, by remote_clock_set(pool, &it, NULL).
 */
typedef struct RemoteClock RemoteClock;

/* A pool for so many blocks of so many warps each; NULL when out of memory. */
RemoteClockPool *remote_clock_pool_new(uint64_t blocks, int warps);
void remote_clock_pool_free(RemoteClockPool *pool);
/* True if memory did not suffice for all that was told: then everything counts as known, so that no
 * race is reported wrongly. */
bool remote_clock_is_full(const RemoteClockPool *pool);

/* Each replaces *to: by its join with another tree or with one block's ticks, or by another
 * tree. */
void remote_clock_join(RemoteClockPool *pool, RemoteClock **to, RemoteClock *more);
void remote_clock_add(RemoteClockPool *pool, RemoteClock **to, uint32_t block,
                      const uint32_t *tick);
void remote_clock_set(RemoteClockPool *pool, RemoteClock **to, RemoteClock *value);
/* A release of what is told at a location in memory, and an acquire there. Locations may share a
 * place in a table: that only orders more. */
void remote_clock_publish(RemoteClockPool *pool, uint64_t location, RemoteClock *told);
void remote_clock_observe(RemoteClockPool *pool, uint64_t location, RemoteClock **to);

/* Whether the tree holds that tick, or a later one, of the block's warp. */
bool remote_clock_has(const RemoteClockPool *pool, const RemoteClock *known, uint32_t block,
                      uint32_t warp, uint32_t tick);

#endif
