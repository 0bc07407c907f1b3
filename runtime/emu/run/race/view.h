/* SPDX-License-Identifier: MIT */
/*
 * view.h: the vector clocks of lanes, and the state of a cluster's order. Lanes of a warp share a
 * view until some of them synchronise without the others. For order.c.
 */
#ifndef KGEN_EMU_RUN_RACE_VIEW_H
#define KGEN_EMU_RUN_RACE_VIEW_H

#include "emu/run/race/attempts.h"
#include "emu/run/race/clock.h"
#include "emu/run/race/kind.h"
#include "emu/run/race/remote_clock.h"
#include "emu/run/state/block.h"

/* Within a cluster, scopes wider than it reach as far. */
enum { REACHES = SCOPE_CLUSTER + 1 };

/* What a lane knows. `fenced` is what was known at the last fence of at least that scope, and
 * `fence` the tick of it: a strong store releases that, and what its own lane did up to the tick.
 * `pending` was read from a release of at least that scope, and is acquired by the next fence.
 * `others` are the blocks of other clusters. */
typedef struct {
  Clock now; /* happens before the next access */
  Clock fenced[SCOPES], pending[REACHES];
  uint32_t fence[SCOPES];
  Clock proxied[PROXY_SPACES];
  RemoteClock *others, *others_fenced, *others_pending;
  bool any_fenced, any_pending, any_proxied;
  bool updated; /* others_pending is from an atomic read-modify-write */
} View;

/* The views of a warp's lanes. Those with one view are a group, whose view is that of its lowest
 * lane. */
typedef struct {
  View *view[LANES]; /* NULL: not used yet */
  uint8_t group[LANES];
  bool is_apart; /* there is more than one group */
} Lanes;

/* A location that strong accesses, or arrivals at a barrier, release at. */
typedef struct Location {
  struct Location *next;
  uint64_t key;
  uint32_t start; /* Order.starts when it was last cleared */
  Clock visible, arrived;
  Clock visible_proxied[PROXY_SPACES], arrived_proxied[PROXY_SPACES];
} Location;

enum { LOCATION_BUCKETS = 1024 };

struct Order {
  int blocks, slots_of_block, slots;
  uint32_t *tick; /* by slot */
  Lanes *lanes;   /* by slot */
  bool level;     /* so far only all warps of its one block have met: their ticks are equal */
  bool uses_fence;
  Location *bucket[LOCATION_BUCKETS];
  int locations;
  uint32_t starts;
  uint32_t earlier; /* ticks up to this are of earlier clusters */
  uint32_t first_block;
  RemoteClockPool *pool;
  OrderBefore *before;
  View joined; /* of those that meet at a barrier */
  Clock released;
  Attempts attempts;
};

bool view_open(const Order *o, View *v);
void view_close(const Order *o, View *v);
/* Nothing is fenced, pending or of other clusters. All up to the tick happens before. */
void view_start(const Order *o, View *v, uint32_t tick);
void view_forget_others(const Order *o, View *v);

static inline Order *order_of(const Warp *w) { return w->block->order; }

static inline View *view_of(const Warp *w, unsigned lane) {
  const Lanes *l = &order_of(w)->lanes[w->slot];
  return l->view[l->group[lane]];
}

/* The view of a lane that becomes the lowest of a group; NULL when out of memory. */
View *view_reserve(const Order *o, Lanes *l, unsigned lane);
/* Lanes that have exited take part where all others do. */
uint32_t view_with_exited(const Warp *w, uint32_t lanes);
/* The group of the first lane of `rest`, without the lanes that are not in `rest`, which become a
 * group of their own; when out of memory they stay, which orders more. */
View *view_take_group(Warp *w, uint32_t rest, uint32_t *group);
/* The same without parting them: to read what they know. */
View *view_peek_group(const Warp *w, uint32_t rest, uint32_t *group);
/* Gives the lanes one view. */
void view_set_group(Warp *w, uint32_t lanes, const View *v);
/* Joins what the lanes know, and what they have done. */
void view_gather(const Warp *w, View *to, uint32_t lanes);

#endif
