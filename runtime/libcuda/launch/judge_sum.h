/* SPDX-License-Identifier: MIT */
/* judge_sum.h: sums the results of equal launches. */
#ifndef KGEN_LIBCUDA_LAUNCH_JUDGE_SUM_H
#define KGEN_LIBCUDA_LAUNCH_JUDGE_SUM_H

#include "base/arena.h"
#include "emu/emu.h"

typedef struct {
  Arena *arena;
  EmuResult result; /* union of accesses and findings, with summed counts */
  int access_room, finding_room, note_room;
} JudgeSum;

/* Adds a result; returns the number of new findings and notes. */
int judge_sum_add(JudgeSum *sum, const EmuResult *more);
/* Adds one finding; returns 1 if it is new, else 0. */
int judge_sum_found(JudgeSum *sum, const EmuFinding *more);

#endif
