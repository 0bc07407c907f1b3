/*
 * known.h: what a warp knows of other blocks: how far each of their warps had come when it told.
 *
 * Immutable trees over the blocks of a launch, which share what they have in common: a chain of
 * thousands of blocks, each of which knows all before it, costs every link one path. All trees of a
 * launch belong to one pool, which may be used by several host threads.
 */
#ifndef KGEN_EMU_KNOWN_H
#define KGEN_EMU_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

typedef struct KnownPool KnownPool;
/* A tree; NULL knows nothing. Whoever holds one releases it. */
typedef struct Known Known;

/* For so many blocks of so many warps; NULL when out of memory. */
KnownPool *known_pool_new(uint64_t blocks, int warps);
void known_pool_free(KnownPool *pool);
/* True when there was no room for all that was told: then everything counts as known. */
bool known_is_full(const KnownPool *pool);

/* Each replaces *to by a tree that knows more. */
void known_join(KnownPool *pool, Known **to, Known *more);
void known_add(KnownPool *pool, Known **to, uint32_t block, const uint32_t *tick);
void known_set(KnownPool *pool, Known **to, Known *value);
/* What is told at a location in memory, and heard there. Locations may share a place: that only
 * tells more. */
void known_publish(KnownPool *pool, uint64_t location, Known *told);
void known_observe(KnownPool *pool, uint64_t location, Known **to);

/* Whether the tree knows of the block's warp at its own tick. */
bool known_has(const KnownPool *pool, const Known *known, uint32_t block, uint32_t warp,
               uint32_t tick);

#endif
