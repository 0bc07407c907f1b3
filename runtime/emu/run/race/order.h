/* SPDX-License-Identifier: MIT */
/*
 * order.h: the happens-before relation of a cluster's threads.
 *
 * Every warp counts ticks. A lane has a view: vector clocks of what happens before its next access,
 * of what its fences release, and of what it has read without acquiring it. Lanes of a warp share a
 * view until some of them synchronise without the others; a barrier of all of them joins their
 * views again. Only barriers, bar.warp.sync among the lanes that it names, and releases that are
 * acquired order accesses. Releases and fences reach as far as their scope.
 */
#ifndef KGEN_EMU_RUN_RACE_ORDER_H
#define KGEN_EMU_RUN_RACE_ORDER_H

#include "emu/run/race/attempts.h"
#include "emu/run/race/clock.h"
#include "emu/run/race/kind.h"
#include "emu/run/race/remote_clock.h"
#include "emu/run/state/block.h"

/* The order of a cluster, whose blocks have `slots_of_block` slots each: one per warp, and one for
 * their asynchronous copies. uses_fence: the program orders threads through memory; pool: also
 * those of different clusters, NULL: it does not. NULL when out of memory. An unchecked cluster has
 * no order: functions that record something then do nothing, and the others are not called. */
Order *order_new(int blocks, int slots_of_block, bool uses_fence, RemoteClockPool *pool,
                 OrderBefore *before);
void order_free(Order *order);
/* True if another launch may use it: ticks have 32 bits, and remote clocks end with their launch.
 */
bool order_goes_on(const Order *order);
/* A new cluster begins, whose first block is `block`; it is ordered after what its slots did in
 * earlier clusters. */
void order_start(Order *order, uint32_t block);

/* --- barriers --- */

/* Lanes of one warp synchronise. */
void order_lanes(Warp *w, uint32_t lanes);
/* Lanes arrive at a barrier of their block without waiting: it orders what they have done so far.
 */
void order_arrive(Warp *w, uint32_t lanes, int barrier);
/* The barrier completes: the waiting lanes[i] of each warp i synchronise, after the arrivals. */
void order_warps(Block *block, const uint32_t lanes[MAX_WARPS], int barrier);

/* --- memory --- */

/* The barrier of a cluster, as a location. */
#define CLUSTER_LOCATION UINT64_MAX

/* A strong access of some lanes to one location. */
typedef struct {
  const Insn *insn;
  uint32_t lanes;
  uint64_t location;
  MemoryScope scope;
  bool orders;     /* it releases, or acquires */
  bool in_phase;   /* an arrival, visible when the phase of the location completes */
  bool is_updated; /* an atomic read-modify-write */
} OrderAccess;

void order_fence(Warp *w, uint32_t lanes, MemoryScope scope);
/* A store. If it does not release, it releases what an earlier fence of its thread does. */
void order_publish(Warp *w, const OrderAccess *access);
/* A load. If it does not acquire, the next fence of its thread does. */
void order_observe(Warp *w, const OrderAccess *access);
/* The phase of a location completes: its arrivals are visible from now on. */
void order_phase(Order *order, uint64_t location);

/* --- the async proxy --- */

/* A proxy fence: what happens before it is ordered before the async proxy, also for threads that
 * synchronise with these lanes later. */
void order_proxy_fence(Warp *w, uint32_t lanes, ProxySpace space);
/* True if such a fence lies between what a lane of a slot did at that tick and the lane's next
 * access. */
bool order_is_proxied(const Warp *w, unsigned lane, ProxySpace space, int slot, unsigned old_lane,
                      uint32_t tick);

/* A copy by the async proxy is complete in a block: its tick there, and its number for the race
 * detector. It is then released at a location, its mbarrier. */
uint32_t order_copy_tick(Block *block);
uint32_t order_copy_thread(const Block *block);
void order_copy_publish(Block *block, uint64_t location);

/* --- queries --- */

/* A summary of what happens before the warp's next access. */
typedef struct {
  const uint32_t *tick; /* by slot */
  bool is_exact;        /* for all lanes of all slots, that is all */
  bool level;           /* of its block, exactly the earlier ticks happen before */
} OrderView;

OrderView order_view(const Warp *w);
/* The warp's tick, which its accesses are stamped with. */
uint32_t order_now(const Warp *w);
/* True if what a lane of a slot of the cluster did at a tick happens before the lane's next
 * access. */
bool order_has(const Warp *w, unsigned lane, int slot, unsigned old_lane, uint32_t tick);
/* The same if all lanes of the slot did it together, and any of them may have released it. */
bool order_has_any(const Warp *w, unsigned lane, int slot, uint32_t tick);
/* The same for a warp of another cluster. */
bool order_has_remote(const Warp *w, unsigned lane, uint32_t block, int warp, unsigned old_lane,
                      uint32_t tick);
/* The attempt to order what a slot of a block did at a tick, slots counting from the block's first;
 * release.insn is NULL if there was none. */
Attempt order_attempt(const Warp *w, uint32_t block, int slot, uint32_t tick);

#endif
