/* cluster.h: the barrier of a cluster, and what its blocks owe each other at their ends. */
#ifndef KGEN_EMU_CLUSTER_H
#define KGEN_EMU_CLUSTER_H

#include "emu/run/block.h"

/* Lanes arrive; they are to wait before they arrive again. */
void cluster_arrive(Warp *w, const Insn *insn, uint32_t active);
/* False if the split has to wait for others; then it goes on when the phase completes. */
bool cluster_wait(Warp *w, const Insn *insn, uint32_t active);
/* Threads of a block have ended, which the barrier waits for no longer. */
void cluster_update(Cluster *cluster);
/* Whether another block of the cluster may still do what this one waits for. */
bool cluster_runs(const Block *block);
/* How many threads have arrived in this phase, and how many it waits for. */
uint32_t cluster_threads(const Cluster *cluster);

#endif
