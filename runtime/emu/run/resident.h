/* resident.h: the storage of blocks that run, or wait for others. */
#ifndef KGEN_EMU_RESIDENT_H
#define KGEN_EMU_RESIDENT_H

#include "emu/run/block.h"

/* Storage for a cluster's blocks; counters and findings are its worker's. NULL when out of memory.
 */
Cluster *resident_new(Launch *launch, EmuAccess *access, AccessMemo *memo, Findings *findings);
void resident_free(Cluster *cluster);
/* The same storage for another launch of the same kernel and sizes. */
void resident_renew(Cluster *cluster, Launch *launch, EmuAccess *access, AccessMemo *memo,
                    Findings *findings);
/* Whether it can be; and how much memory it takes, about. */
bool resident_can_renew(const Cluster *cluster);
size_t resident_bytes(const Cluster *cluster);
/* Puts the blocks of the cluster of that number at their start. */
void resident_start(Cluster *cluster, uint64_t number);
/* All threads of a block have ended: its last copies go out, and what it leaves behind is reported.
 */
void resident_finish(Block *block);
/* How many blocks of a launch an H200 holds at once: those may wait for one another. */
int resident_most(const Launch *launch);

#endif
