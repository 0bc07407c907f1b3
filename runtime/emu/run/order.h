/*
 * order.h: what happens before what.
 *
 * Every warp counts its ticks. It carries a vector clock, the ticks of the block's warps that are
 * ordered before its next access, which barriers of the block join; within a warp, lanes are
 * ordered by what makes them meet (bar.warp.sync, shfl, vote, ...). Fences order through the strong
 * accesses that surround them: those of the block's scope only within the block.
 */
#ifndef KGEN_EMU_ORDER_H
#define KGEN_EMU_ORDER_H

#include "emu/run/block.h"
#include "emu/run/known.h"

/* Called before threads of a block come to be ordered. */
typedef void OrderBefore(Race *race);

/* An unjudged cluster has none: what is told of it is dropped, and nobody asks.
 * Of the blocks of a cluster, each with so many slots: its warps, and its asynchronous copies. NULL
 * when out of memory. uses_fence: the program orders through memory, too; pool: between clusters,
 * NULL: it does not. */
Order *order_new(int blocks, int slots_of_block, bool uses_fence, KnownPool *pool,
                 OrderBefore *before);
void order_free(Order *order);
/* Whether it may go on with another launch: ticks are numbers of 32 bits, and what is known of
 * other blocks goes with its launch. */
bool order_goes_on(const Order *order);
/* A new cluster begins, of which `block` is the first, ordered behind what its slots did in earlier
 * ones. */
void order_start(Order *order, uint32_t block);

/* Lanes of one warp meet: what they did before is ordered before what they do next. */
void order_lanes(Warp *w, uint32_t lanes);
/* Warps of a block, a bit each, meet; those of `arrivals` only tell, and do not wait. */
void order_warps(Block *block, uint32_t syncs, uint32_t arrivals);

/* Who is told: threads of the block, or all. */
typedef enum { SCOPE_BLOCK, SCOPE_DEVICE } OrderScope;

/* A fence of the warp; strong accesses to a location publish what a fence before them saw, and what
 * they find there is seen behind the next one. */
void order_fence(Warp *w, OrderScope scope);
void order_publish(Warp *w, uint64_t location, OrderScope scope, bool release);
void order_observe(Warp *w, uint64_t location, OrderScope scope, bool acquire);

/* A proxy fence of the warp: what is ordered before it, its own writes included, the async proxy
 * sees behind it; whoever meets the warp later knows. */
void order_proxy_fence(Warp *w);
/* Whether a proxy fence that the warp knows of follows what `thread` wrote at that tick. */
bool order_is_proxied(const Warp *w, uint32_t thread, uint32_t tick);

/* A copy by the async proxy lands in a block: its tick there, and who it is to the race detector;
 * what has landed is then told at a location, its mbarrier's. */
uint32_t order_copy_tick(Block *block);
uint32_t order_copy_thread(const Block *block);
void order_copy_publish(Block *block, uint64_t location);

/* What is ordered before the warp's next access, at a glance. */
typedef struct {
  const uint32_t *clock; /* by slot: ticks up to these */
  uint32_t meeting;      /* and of the warp itself ticks before this, at least */
  bool lanes_met;        /* some of its lanes have met since */
  bool level; /* of all that its block did, earlier ticks are ordered before, no others */
} OrderView;

OrderView order_view(const Warp *w);

/* The warp's tick, which its accesses remember. */
uint32_t order_now(const Warp *w);
/* Whether what thread `old` did at its slot's tick is ordered before what `thread` does now; both
 * as warp_stamp numbers them. */
bool order_within(const Order *order, uint32_t old, uint32_t tick, uint32_t thread);
/* The same of another block's warp. */
bool order_between(const Warp *w, uint32_t block, uint32_t warp, uint32_t tick);

#endif
