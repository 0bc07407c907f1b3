/* SPDX-License-Identifier: MIT */
/*
 * clock.h: vector clocks. A clock has one entry per slot, which is a warp or the asynchronous
 * copies of a block: the tick up to which the accesses of the slot happen before whoever holds the
 * clock. Lanes of a warp mostly have one tick. A slot whose lanes differ has a tick per lane beside
 * it.
 */
#ifndef KGEN_EMU_RUN_RACE_CLOCK_H
#define KGEN_EMU_RUN_RACE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "emu/arith/lanes.h"

typedef struct {
  int slot;
  uint32_t lane[LANES];
} LaneTicks;

typedef struct {
  uint32_t *tick; /* by slot: of every lane */
  LaneTicks *apart;
  int aparts, capacity; /* slots whose lanes differ */
} Clock;

/* A clock of `slots` entries, all 0; false when out of memory. */
bool clock_open(Clock *clock, int slots);
void clock_close(Clock *clock);
/* Every slot at one tick. */
void clock_fill(Clock *clock, int slots, uint32_t tick);
void clock_copy(Clock *to, const Clock *from, int slots);
/* Each entry becomes the larger one of both. */
void clock_join(Clock *to, const Clock *from, int slots);
/* Raises the entry of some lanes of a slot. When memory is out, it raises the entry of all: that
 * hides races, and invents none. */
void clock_raise(Clock *clock, int slot, uint32_t lanes, uint32_t tick);
/* True if every entry of `a` is at least that of `b`. */
bool clock_covers(const Clock *a, const Clock *b, int slots);
/* The part of a clock from slot `first` on. */
void clock_slice(Clock *to, const Clock *from, int first, int slots);

bool clock_has_lane(const Clock *clock, int slot, unsigned lane, uint32_t tick);

/* True if what the lane of a slot did at the tick happens before the holder. */
static inline bool clock_has(const Clock *clock, int slot, unsigned lane, uint32_t tick) {
  return clock->tick[slot] >= tick || (clock->aparts && clock_has_lane(clock, slot, lane, tick));
}

#endif
