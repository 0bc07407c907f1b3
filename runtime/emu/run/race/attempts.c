/* SPDX-License-Identifier: MIT */
#include "emu/run/race/attempts.h"

#include <stdlib.h>
#include <string.h>

void attempts_close(Attempts *all) {
  for (int i = 0; i < ATTEMPTS; i++) free(all->attempt[i].tick);
}

void attempts_clear(Attempts *all) {
  for (int i = 0; i < ATTEMPTS; i++) all->attempt[i].release.insn = NULL;
}

/* Each releasing warp has its own entry of a location. */
static Attempt *entry_of(Attempts *all, const Attempt *release) {
  const uint64_t hash = release->location * 0x9E3779B97F4A7C15ull >> 32;
  const uint64_t warp = release->release.block + (uint64_t)release->release.warp;
  return &all->attempt[(hash + warp) % ATTEMPTS];
}

void attempts_release(Attempts *all, const Attempt *release) {
  Attempt *to = entry_of(all, release);
  uint32_t *tick = to->tick;
  const int capacity = to->capacity;
  const size_t bytes = (size_t)release->slots * sizeof *tick;
  if (capacity < release->slots) tick = realloc(tick, bytes);
  if (!tick) return;
  memcpy(tick, release->tick, bytes);
  *to = *release;
  to->tick = tick;
  to->capacity = capacity < release->slots ? release->slots : capacity;
}

void attempts_acquire(Attempts *all, uint64_t location, AttemptSide acquire) {
  for (int i = 0; i < ATTEMPTS; i++)
    if (all->attempt[i].location == location) all->attempt[i].acquire = acquire;
}

const Attempt *attempts_find(const Attempts *all, uint32_t block, int slots_of_block, int slot,
                             uint32_t tick) {
  const Attempt *first = NULL;
  uint32_t least = UINT32_MAX;
  for (int i = 0; i < ATTEMPTS; i++) {
    const Attempt *a = &all->attempt[i];
    const int64_t at = ((int64_t)block - a->release.block) * slots_of_block + slot;
    if (!a->release.insn || !a->acquire.insn || at < 0 || at >= a->slots) continue;
    if (a->tick[at] < tick || a->tick[at] > least) continue;
    first = a;
    least = a->tick[at];
  }
  return first;
}
