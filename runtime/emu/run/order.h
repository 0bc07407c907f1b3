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

/* NULL when out of memory. uses_fence: the program orders through memory, too; pool: between
 * blocks, NULL: it does not. */
Order *order_new(bool uses_fence, KnownPool *pool);
void order_free(Order *order);
/* A new block begins, ordered behind what the same warps did in earlier ones. */
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

/* What is ordered before the warp's next access, at a glance. */
typedef struct {
  const uint32_t *clock; /* of the block's warps: ticks up to these */
  uint32_t meeting;      /* and of the warp itself ticks before this, at least */
} OrderView;

OrderView order_view(const Warp *w);

/* The warp's tick, which its accesses remember. */
uint32_t order_now(const Warp *w);
/* Whether what thread `old` of the block did at its warp's tick is ordered before what `thread`
 * does now. */
bool order_within(const Order *order, uint32_t old, uint32_t tick, uint32_t thread);
/* The same of another block's warp. */
bool order_between(const Warp *w, uint32_t block, uint32_t warp, uint32_t tick);

#endif
