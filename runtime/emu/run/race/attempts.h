/* SPDX-License-Identifier: MIT */
/*
 * attempts.h: releases and acquires that may have fallen short, for messages: a race names the one
 * that would have ordered its accesses, had its scope been wider, or had it not been relaxed. Only
 * the newest attempts are remembered, by location.
 */
#ifndef KGEN_EMU_RUN_RACE_ATTEMPTS_H
#define KGEN_EMU_RUN_RACE_ATTEMPTS_H

#include "emu/code/code.h"

/* One side of a synchronisation. */
typedef struct {
  const Insn *insn; /* NULL: not yet */
  MemoryScope scope;
  bool orders;    /* it releases, or acquires, if only by a fence */
  uint32_t lanes; /* of the warp, the slot of a cluster whose first block is `block` */
  int warp;
  uint32_t block;
} AttemptSide;

typedef struct {
  uint64_t location;
  AttemptSide release, acquire;
  uint32_t known; /* the tick of the releasing warp that every lane of it covers */
  int slots, capacity;
  uint32_t *tick; /* by slot: what a release of the whole warp would cover */
} Attempt;

enum { ATTEMPTS = 32 };

typedef struct {
  Attempt attempt[ATTEMPTS];
} Attempts;

void attempts_close(Attempts *attempts);
void attempts_clear(Attempts *attempts);
/* The ticks are copied. */
void attempts_release(Attempts *attempts, const Attempt *release);
void attempts_acquire(Attempts *attempts, uint64_t location, AttemptSide acquire);
/* The first attempt to order what a slot did at a tick, or NULL; slots count from the block's
 * first. */
const Attempt *attempts_find(const Attempts *attempts, uint32_t block, int slots_of_block, int slot,
                             uint32_t tick);

#endif
