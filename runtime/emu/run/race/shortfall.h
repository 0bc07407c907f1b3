/* SPDX-License-Identifier: MIT */
/* shortfall.h: which synchronisation would have prevented a race, and what it lacks. */
#ifndef KGEN_EMU_RUN_RACE_SHORTFALL_H
#define KGEN_EMU_RUN_RACE_SHORTFALL_H

#include "emu/run/state/block.h"

/* An access that a race is about: the number of its block, a thread of it, and the warp's tick. */
typedef struct {
  uint32_t block, thread, tick;
} ShortfallAccess;

typedef struct {
  char text[200];
} Shortfall;

/* What orders too little between `old` and the access of a lane at `at`, as "no barrier between".
 */
Shortfall shortfall_of(const Warp *w, unsigned lane, const ShortfallAccess *old, const Insn *at);

#endif
