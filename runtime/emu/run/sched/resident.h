/* resident.h: the storage of resident blocks, which run or wait for others. */
#ifndef KGEN_EMU_RUN_SCHED_RESIDENT_H
#define KGEN_EMU_RUN_SCHED_RESIDENT_H

#include "emu/run/state/block.h"

/* Storage for a cluster's blocks; counters and findings are its worker's. NULL when out of
 * memory. */
Cluster *resident_new(Launch *launch, EmuAccess *access, AccessMemo *memo, Findings *findings);
void resident_free(Cluster *cluster);
/* The same storage for another launch of the same kernel and sizes. */
void resident_renew(Cluster *cluster, Launch *launch, EmuAccess *access, AccessMemo *memo,
                    Findings *findings);
/* True if that is possible; and about how much memory it takes. */
bool resident_can_renew(const Cluster *cluster);
size_t resident_bytes(const Cluster *cluster);
/* Starts the blocks of the cluster with that number. */
void resident_start(Cluster *cluster, uint64_t number);
/* All threads of a block have exited: performs its last copies out, reports what is left over. */
void resident_finish(Block *block);
/* How many blocks of a launch an H200 holds at once: those may wait for one another. */
int resident_most(const Launch *launch);
/* How many cycles an instruction takes a warp: 4 schedulers issue one each, from all warps that a
 * processor has at once, and a warp's next one 4 cycles later at the earliest. */
unsigned resident_cycles(const Launch *launch);

#endif
