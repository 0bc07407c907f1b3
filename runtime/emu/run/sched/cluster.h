/* SPDX-License-Identifier: MIT */
/* cluster.h: the barrier of a cluster. */
#ifndef KGEN_EMU_RUN_SCHED_CLUSTER_H
#define KGEN_EMU_RUN_SCHED_CLUSTER_H

#include "emu/run/state/block.h"

/* `active` lanes arrive. Each must wait before it arrives again. */
void cluster_arrive(Warp *w, const Insn *insn, uint32_t active);
/* Returns false if the split must wait; it executes the instruction again after the phase
 * completes. */
bool cluster_wait(Warp *w, const Insn *insn, uint32_t active);
/* Completes the phase if all threads that have not exited have arrived. Call it after threads
 * exit. */
void cluster_update(Cluster *cluster);
/* True if another block of the cluster can still run, and so may do what this block waits for. */
bool cluster_runs(const Block *block);
/* The number of threads of the cluster that have not exited. */
uint32_t cluster_threads(const Cluster *cluster);

#endif
