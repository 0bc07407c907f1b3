/* SPDX-License-Identifier: MIT */
/*
 * schedule.h: other orders of warps and blocks than the usual one. A schedule is determined by its
 * number: its kind, and the seed of its random choices. Launches with a schedule run on one host
 * thread.
 */
#ifndef KGEN_EMU_RUN_SCHED_SCHEDULE_H
#define KGEN_EMU_RUN_SCHED_SCHEDULE_H

#include "emu/run/state/block.h"

/* The schedule of a number; 0: the usual one, for which the functions below are not called. */
Schedule schedule_of(int number, uint64_t clusters, uint64_t resident_clusters);
/* The order in which a block's warps run in the next round. Returns how many of them run first: the
 * others run only if none of these makes progress. */
int schedule_warps(Block *block, int order[MAX_WARPS]);
/* The number of instructions that a warp executes before others run, at most `most`. */
int schedule_slice(Launch *launch, int most);
/* The number of rounds that a block runs before others run. */
int schedule_rounds(Launch *launch);
/* The cluster that starts as the number-th one. */
uint64_t schedule_cluster(const Launch *launch, uint64_t number);
/* A random number below a limit. */
int schedule_random(Launch *launch, int limit);

#endif
