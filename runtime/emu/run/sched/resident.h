/* SPDX-License-Identifier: MIT */
/* resident.h: allocates, starts and finishes resident blocks, which run or wait for other
 * blocks. */
#ifndef KGEN_EMU_RUN_SCHED_RESIDENT_H
#define KGEN_EMU_RUN_SCHED_RESIDENT_H

#include "emu/run/state/block.h"

/* Allocates storage for the blocks of a cluster; counters and findings belong to the worker. NULL
 * when out of memory. */
Cluster *resident_new(Launch *launch, WorkerTallies tallies);
void resident_free(Cluster *cluster);
/* Prepares existing storage for another launch of the same kernel with the same sizes. */
void resident_renew(Cluster *cluster, Launch *launch, WorkerTallies tallies);
/* True if resident_renew() is possible; the approximate size of the storage. */
bool resident_can_renew(const Cluster *cluster);
size_t resident_bytes(const Cluster *cluster);
/* Starts the blocks of cluster `number`. */
void resident_start(Cluster *cluster, uint64_t number);
/* Call when all threads of a block have exited: performs its outstanding copies to global memory
 * and reports asynchronous operations that are left. */
void resident_finish(Block *block);
/* The number of blocks of the launch that an H200 holds at once. These may wait for one another. */
int resident_most(const Launch *launch);
/* Cycles per instruction of a warp: 4 schedulers issue one instruction per cycle from all warps
 * resident on the SM, and one warp issues at most every 4 cycles. */
unsigned resident_cycles(const Launch *launch);

#endif
