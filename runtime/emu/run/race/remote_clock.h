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

typedef struct KnownPool KnownPool;
/* A tree; NULL: nothing is known. Who holds one releases it, by known_set(pool, &it, NULL). */
typedef struct Known Known;

/* A pool for so many blocks of so many warps each; NULL when out of memory. */
KnownPool *known_pool_new(uint64_t blocks, int warps);
void known_pool_free(KnownPool *pool);
/* True if memory did not suffice for all that was told: then everything counts as known, so that no
 * race is reported wrongly. */
bool known_is_full(const KnownPool *pool);

/* Each replaces *to: by its join with another tree or with one block's ticks, or by another
 * tree. */
void known_join(KnownPool *pool, Known **to, Known *more);
void known_add(KnownPool *pool, Known **to, uint32_t block, const uint32_t *tick);
void known_set(KnownPool *pool, Known **to, Known *value);
/* A release of what is told at a location in memory, and an acquire there. Locations may share a
 * place in a table: that only orders more. */
void known_publish(KnownPool *pool, uint64_t location, Known *told);
void known_observe(KnownPool *pool, uint64_t location, Known **to);

/* Whether the tree holds that tick, or a later one, of the block's warp. */
bool known_has(const KnownPool *pool, const Known *known, uint32_t block, uint32_t warp,
               uint32_t tick);

#endif
