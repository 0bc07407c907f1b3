/*
 * block_pool.h: the storage of blocks that launches leave to later ones of the same kernel and
 * sizes: small launches are mostly its allocation otherwise. Host threads may launch at the same
 * time.
 */
#ifndef KGEN_EMU_RUN_SCHED_BLOCK_POOL_H
#define KGEN_EMU_RUN_SCHED_BLOCK_POOL_H

#include "emu/run/state/block.h"

/* Of a module's launches. NULL when out of memory; then nothing is kept. */
BlockPool *block_pool_new(void);
void block_pool_free(BlockPool *pool);
/* Storage that fits the launch, to be renewed; NULL: there is none. */
Cluster *block_pool_acquire(BlockPool *pool, const Launch *launch);
/* Keeps storage whose blocks have ended, or frees it. */
void block_pool_release(BlockPool *pool, const Launch *launch, Cluster *cluster);

#endif
