/*
 * order.h: the happens-before relation.
 *
 * Every warp counts ticks, and has a vector clock: the ticks of the block's warps that are
 * ordered before its next access. Barriers of the block join clocks; within a warp, lanes are
 * ordered by bar.warp.sync alone: shfl, vote, match and redux order no memory. Fences
 * order through the strong accesses that surround them: those of the block's scope only within
 * the block.
 */
#ifndef KGEN_EMU_RUN_RACE_ORDER_H
#define KGEN_EMU_RUN_RACE_ORDER_H

#include "emu/run/race/remote_clock.h"
#include "emu/run/state/block.h"

/* Called before threads of a block become ordered. */
typedef void OrderBefore(Race *race);

/* The order of a cluster, whose blocks have so many slots each: one for each warp, and one for
 * their asynchronous copies. uses_fence: the program orders threads through memory, too; pool: also
 * those of different clusters, NULL: it does not. NULL when out of memory. An unchecked cluster has
 * none: the functions below that note something then do nothing, and nobody asks the others. */
Order *order_new(int blocks, int slots_of_block, bool uses_fence, RemoteClockPool *pool,
                 OrderBefore *before);
void order_free(Order *order);
/* True if it may be used for another launch: ticks have 32 bits, and what is known of other blocks
 * ends with its launch. */
bool order_goes_on(const Order *order);
/* A new cluster begins, whose first block is `block`; it is ordered after what its slots did in
 * earlier clusters. */
void order_start(Order *order, uint32_t block);

/* Lanes of one warp synchronize: what they did before is ordered before what they do next. */
void order_lanes(Warp *w, uint32_t lanes);
/* Warps of a block, a bit each, synchronize; those of `arrivals` only arrive, and do not wait. */
void order_warps(Block *block, uint32_t syncs, uint32_t arrivals);

/* The scope: threads of the block, or all. */
typedef enum { SCOPE_BLOCK, SCOPE_DEVICE } OrderScope;

/* A fence of the warp. A strong access to a location releases what an earlier fence of the warp
 * ordered, and what it acquires there is ordered by the next fence. */
void order_fence(Warp *w, OrderScope scope);
void order_publish(Warp *w, uint64_t location, OrderScope scope, bool release);
void order_observe(Warp *w, uint64_t location, OrderScope scope, bool acquire);

/* The memory that a proxy fence is for. */
typedef enum { PROXY_SHARED, PROXY_GLOBAL, PROXY_SPACES } ProxySpace;

/* A proxy fence of the warp: writes that are ordered before it, its own included, become visible to
 * the async proxy, also for warps that synchronize with this one later. */
void order_proxy_fence(Warp *w, ProxySpace space);
/* True if a proxy fence that is ordered before the warp's next access follows what `thread` wrote
 * at that tick. */
bool order_is_proxied(const Warp *w, ProxySpace space, uint32_t thread, uint32_t tick);

/* A copy by the async proxy lands in a block: its tick there, and its number for the race detector.
 * What has landed is then released at a location, its mbarrier. */
uint32_t order_copy_tick(Block *block);
uint32_t order_copy_thread(const Block *block);
void order_copy_publish(Block *block, uint64_t location);

/* A summary of what is ordered before the warp's next access. */
typedef struct {
  const uint32_t *clock; /* by slot: ticks up to these */
  uint32_t meeting;      /* and of the warp itself ticks before this, at least */
  bool lanes_met;        /* some of its lanes have met since */
  bool level;            /* of its block, exactly the earlier ticks are ordered before */
} OrderView;

OrderView order_view(const Warp *w);

/* The warp's tick, which its accesses are stamped with. */
uint32_t order_now(const Warp *w);
/* True if what thread `old` did at its slot's tick is ordered before what `thread` does now; both
 * are numbered by warp_stamp. */
bool order_within(const Order *order, uint32_t old, uint32_t tick, uint32_t thread);
/* The same for a warp of another block. */
bool order_between(const Warp *w, uint32_t block, uint32_t warp, uint32_t tick);

#endif
