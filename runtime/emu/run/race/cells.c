/* SPDX-License-Identifier: MIT */
#include "emu/run/race/cells.h"

static const char *const did[] = {
    [RACE_READ] = "reads", [RACE_WRITE] = "writes", [RACE_ATOMIC] = "updates"};

/* The blocks of a cluster have consecutive numbers. */
RacePoint race_point_of(const SharedAccess *t, const RaceStamp *old, bool reads) {
  const Block *block = t->warp->block;
  const uint32_t slots = (uint32_t)block->warps + 1, thread = old->thread - 1u;
  const uint32_t rank = thread / LANES / slots;
  return (RacePoint){.block = (uint32_t)block->number - (uint32_t)block->rank + rank,
                     .thread = thread - rank * slots * LANES,
                     .tick = old->tick,
                     .pc = old->pc,
                     .reads = reads,
                     .strong = old->strength != WEAK,
                     .did = did[reads                     ? RACE_READ
                                : old->strength == ATOMIC ? RACE_ATOMIC
                                                          : RACE_WRITE]};
}

RaceAccess race_access_at(const SharedAccess *t, uint64_t at) {
  RaceAccess a = {.warp = t->warp, .insn = t->insn, .at = at};
  a.now = race_point_of(t, &t->now, t->kind == RACE_READ);
  a.now.did = did[t->kind];
  return a;
}

bool race_is_ordered_by_lane(const SharedAccess *t, const RaceStamp *old) {
  const RaceAccess a = race_access_at(t, 0);
  const RacePoint point = race_point_of(t, old, false);
  return race_is_before(&a, &point);
}
