/* SPDX-License-Identifier: MIT */
#include "emu/run/race/clock.h"

#include <stdlib.h>
#include <string.h>

bool clock_open(Clock *c, int slots) {
  *c = (Clock){.tick = calloc((size_t)slots, sizeof *c->tick)};
  return c->tick != NULL;
}

void clock_close(Clock *c) {
  free(c->tick);
  free(c->apart);
}

void clock_fill(Clock *c, int slots, uint32_t tick) {
  for (int i = 0; i < slots; i++) c->tick[i] = tick;
  c->aparts = 0;
}

static LaneTicks *find(const Clock *c, int slot) {
  for (int i = 0; i < c->aparts; i++)
    if (c->apart[i].slot == slot) return &c->apart[i];
  return NULL;
}

bool clock_has_lane(const Clock *c, int slot, unsigned lane, uint32_t tick) {
  const LaneTicks *apart = find(c, slot);
  return apart && apart->lane[lane] >= tick;
}

static bool reserve(Clock *c, int count) {
  if (count <= c->capacity) return true;
  const int capacity = 2 * count;
  LaneTicks *grown = realloc(c->apart, (size_t)capacity * sizeof *grown);
  if (!grown) return false;
  c->apart = grown;
  c->capacity = capacity;
  return true;
}

/* The ticks of a slot's lanes, made from that of all of them if they did not differ; NULL when out
 * of memory. */
static LaneTicks *part(Clock *c, int slot) {
  LaneTicks *apart = find(c, slot);
  if (apart || !reserve(c, c->aparts + 1)) return apart;
  apart = &c->apart[c->aparts++];
  apart->slot = slot;
  for (int i = 0; i < LANES; i++) apart->lane[i] = c->tick[slot];
  return apart;
}

static uint32_t least(const LaneTicks *apart) {
  uint32_t tick = apart->lane[0];
  for (int i = 1; i < LANES; i++) tick = apart->lane[i] < tick ? apart->lane[i] : tick;
  return tick;
}

/* Drops the ticks per lane of slots whose lanes no longer differ. */
static void settle(Clock *c) {
  int kept = 0;
  for (int i = 0; i < c->aparts; i++) {
    LaneTicks *a = &c->apart[i];
    uint32_t *tick = &c->tick[a->slot], any = 0;
    const uint32_t low = least(a);
    if (low > *tick) *tick = low;
    for (int k = 0; k < LANES; k++) any |= a->lane[k] > *tick;
    if (any) c->apart[kept++] = *a;
  }
  c->aparts = kept;
}

void clock_raise(Clock *c, int slot, uint32_t lanes, uint32_t tick) {
  uint32_t *all = &c->tick[slot];
  if (tick <= *all) return;
  LaneTicks *apart = lanes == ALL_LANES ? NULL : part(c, slot);
  if (!apart) *all = tick;
  for (int i = 0; apart && i < LANES; i++)
    if ((lanes >> i & 1) && apart->lane[i] < tick) apart->lane[i] = tick;
  if (c->aparts) settle(c);
}

void clock_copy(Clock *to, const Clock *from, int slots) {
  memcpy(to->tick, from->tick, (size_t)slots * sizeof *to->tick);
  to->aparts = 0;
  if (!from->aparts) return;
  if (reserve(to, from->aparts)) {
    memcpy(to->apart, from->apart, (size_t)from->aparts * sizeof *to->apart);
    to->aparts = from->aparts;
    return;
  }
  for (int i = 0; i < from->aparts; i++)
    for (int k = 0; k < LANES; k++)
      clock_raise(to, from->apart[i].slot, ALL_LANES, from->apart[i].lane[k]);
}

static void join_lanes(Clock *to, const LaneTicks *from) {
  LaneTicks *apart = part(to, from->slot);
  for (int k = 0; k < LANES; k++) {
    uint32_t *tick = apart ? &apart->lane[k] : &to->tick[from->slot];
    if (from->lane[k] > *tick) *tick = from->lane[k];
  }
}

void clock_join(Clock *to, const Clock *from, int slots) {
  for (int i = 0; i < slots; i++)
    if (from->tick[i] > to->tick[i]) to->tick[i] = from->tick[i];
  if (!to->aparts && !from->aparts) return;
  for (int i = 0; i < from->aparts; i++) join_lanes(to, &from->apart[i]);
  for (int i = 0; i < to->aparts; i++) {
    LaneTicks *a = &to->apart[i];
    for (int k = 0; k < LANES; k++)
      if (to->tick[a->slot] > a->lane[k]) a->lane[k] = to->tick[a->slot];
  }
  settle(to);
}

bool clock_covers(const Clock *a, const Clock *b, int slots) {
  for (int i = 0; i < slots; i++) {
    if (b->tick[i] <= a->tick[i]) continue;
    for (unsigned k = 0; k < LANES; k++)
      if (!clock_has(a, i, k, b->tick[i])) return false;
  }
  for (int i = 0; i < b->aparts; i++)
    for (unsigned k = 0; k < LANES; k++)
      if (!clock_has(a, b->apart[i].slot, k, b->apart[i].lane[k])) return false;
  return true;
}

void clock_slice(Clock *to, const Clock *from, int first, int slots) {
  memcpy(to->tick, from->tick + first, (size_t)slots * sizeof *to->tick);
  to->aparts = 0;
  for (int i = 0; i < from->aparts; i++) {
    LaneTicks apart = from->apart[i];
    apart.slot -= first;
    if (apart.slot >= 0 && apart.slot < slots) join_lanes(to, &apart);
  }
}
