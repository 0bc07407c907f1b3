/* cluster.h: the barrier of a cluster, and what its blocks must observe at their ends. */
#ifndef KGEN_EMU_RUN_SCHED_CLUSTER_H
#define KGEN_EMU_RUN_SCHED_CLUSTER_H

#include "emu/run/state/block.h"

/* Lanes arrive; they must wait before they arrive again. */
void cluster_arrive(Warp *w, const Insn *insn, uint32_t active);
/* False if the split must wait for others; it then continues when the phase completes. */
bool cluster_wait(Warp *w, const Insn *insn, uint32_t active);
/* Threads of a block have exited: the barrier no longer waits for them. */
void cluster_update(Cluster *cluster);
/* True if another block of the cluster may still do what this one waits for. */
bool cluster_runs(const Block *block);
/* The number of threads that have arrived in this phase, and of those that it waits for. */
uint32_t cluster_threads(const Cluster *cluster);

#endif
