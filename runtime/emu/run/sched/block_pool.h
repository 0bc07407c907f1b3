/* SPDX-License-Identifier: MIT */
/* block_pool.h: free list of block state, reused by later launches of the same kernel with the same
 * block, cluster and shared-memory size. Without it a small launch spends most of its time
 * allocating. Thread-safe. */
#ifndef KGEN_EMU_RUN_SCHED_BLOCK_POOL_H
#define KGEN_EMU_RUN_SCHED_BLOCK_POOL_H

#include "emu/run/state/block.h"

/* A pool for the launches of one module. NULL when out of memory; nothing is reused then. */
BlockPool *block_pool_new(void);
void block_pool_free(BlockPool *pool);
/* Returns storage that fits the launch, for resident_renew(); NULL if there is none. */
Cluster *block_pool_acquire(BlockPool *pool, const Launch *launch);
/* Keeps storage whose blocks have ended, or frees it if the pool is full or the storage too
 * large. */
void block_pool_release(BlockPool *pool, const Launch *launch, Cluster *cluster);

#endif
