#include "emu/run/order.h"

#include <stdlib.h>
#include <string.h>

enum { PARTIAL_SYNCS = 32, LOCATIONS = 1024 };

/* Meetings of a warp's lanes. Those of all lanes order everything before them; the others are kept
 * one by one, and what is older than the kept ones counts as ordered. */
typedef struct {
  uint32_t ordered; /* ticks before it are */
  int partials;
  uint32_t mask[PARTIAL_SYNCS], at[PARTIAL_SYNCS];
} Meetings;

typedef uint32_t Clocks[MAX_WARPS];

/* What a warp knows of other blocks now, and what it may tell them: as of its last fence, or of
 * those of warps that it met at a barrier since. */
typedef struct {
  Known *now, *fenced;
} Others;

struct Order {
  Clocks clock[MAX_WARPS]; /* by warp: of itself its tick, of others what is ordered before */
  Meetings meetings[MAX_WARPS];
  bool uses_fence;
  Clocks fenced[MAX_WARPS], pending[MAX_WARPS];
  Clocks *location; /* by hash: locations that share an entry only order more */
  uint32_t block;
  KnownPool *pool;
  bool any_others;
  Others others[MAX_WARPS];
};

Order *order_new(bool uses_fence, KnownPool *pool) {
  Order *o = calloc(1, sizeof *o);
  if (!o) return NULL;
  o->uses_fence = uses_fence;
  o->pool = pool;
  o->location = calloc(LOCATIONS, sizeof *o->location);
  if (o->location) return o;
  free(o);
  return NULL;
}

static void forget_others(Order *o) {
  for (int i = 0; i < MAX_WARPS && o->any_others; i++) {
    known_set(o->pool, &o->others[i].now, NULL);
    known_set(o->pool, &o->others[i].fenced, NULL);
  }
  o->any_others = false;
}

void order_free(Order *o) {
  if (!o) return;
  forget_others(o);
  free(o->location);
  free(o);
}

/* --- clocks --- */

static void join(Clocks into, const Clocks from) {
  for (int i = 0; i < MAX_WARPS; i++) {
    if (from[i] > into[i]) into[i] = from[i];
  }
}

static void meet_all(Order *o, int warp) {
  o->meetings[warp].ordered = ++o->clock[warp][warp];
  o->meetings[warp].partials = 0;
}

void order_start(Order *o, uint32_t block) {
  Clocks all = {0};
  for (int i = 0; i < MAX_WARPS; i++) join(all, o->clock[i]);
  for (int i = 0; i < MAX_WARPS; i++) {
    memcpy(o->clock[i], all, sizeof all);
    meet_all(o, i);
  }
  o->block = block;
  if (!o->uses_fence) return;
  forget_others(o);
  memset(o->fenced, 0, sizeof o->fenced);
  memset(o->pending, 0, sizeof o->pending);
  memset(o->location, 0, LOCATIONS * sizeof *o->location);
}

void order_lanes(Warp *w, uint32_t lanes) {
  Order *o = w->block->order;
  Meetings *m = &o->meetings[w->index];
  if ((lanes & w->alive) == w->alive) {
    meet_all(o, w->index);
    return;
  }
  if (m->partials == PARTIAL_SYNCS) {
    m->ordered = m->at[0];
    memmove(m->mask, m->mask + 1, sizeof m->mask - sizeof *m->mask);
    memmove(m->at, m->at + 1, sizeof m->at - sizeof *m->at);
    m->partials--;
  }
  m->mask[m->partials] = lanes;
  m->at[m->partials++] = ++o->clock[w->index][w->index];
}

/* All warps of a mask come to know what any of them does, and may tell what any of them may: that
 * every thread fences, and then one of those that met tells, is how it is commonly done. */
static void share_others(Order *o, uint32_t syncs, uint32_t arrivals) {
  Others all = {0};
  FOR_LANES(i, syncs | arrivals) {
    known_join(o->pool, &all.now, o->others[i].now);
    known_join(o->pool, &all.fenced, o->others[i].fenced);
  }
  FOR_LANES(i, syncs) {
    known_set(o->pool, &o->others[i].now, all.now);
    known_set(o->pool, &o->others[i].fenced, all.fenced);
  }
  known_set(o->pool, &all.now, NULL);
  known_set(o->pool, &all.fenced, NULL);
}

void order_warps(Block *block, uint32_t syncs, uint32_t arrivals) {
  Order *o = block->order;
  Clocks all = {0};
  FOR_LANES(i, syncs | arrivals) join(all, o->clock[i]);
  FOR_LANES(i, syncs) {
    join(o->clock[i], all);
    meet_all(o, (int)i);
  }
  FOR_LANES(i, arrivals & ~syncs) o->clock[i][i]++;
  if (o->any_others) share_others(o, syncs, arrivals);
}

/* --- fences --- */

/* What a warp has heard through memory of the block it may have from any warp of it: that orders
 * more than it must. */
static void fence_others(Warp *w, Order *o, OrderScope scope) {
  Others *mine = &o->others[w->index];
  if (scope == SCOPE_BLOCK) {
    for (int i = 0; i < w->block->warps && o->any_others; i++)
      known_join(o->pool, &mine->now, o->others[i].now);
    return;
  }
  o->any_others = true;
  known_set(o->pool, &mine->fenced, mine->now);
  known_add(o->pool, &mine->fenced, o->block, o->clock[w->index]);
}

void order_fence(Warp *w, OrderScope scope) {
  Order *o = w->block->order;
  uint32_t *clock = o->clock[w->index];
  join(clock, o->pending[w->index]);
  if (o->pool) fence_others(w, o, scope);
  memcpy(o->fenced[w->index], clock, sizeof(Clocks));
  meet_all(o, w->index);
}

static Clocks *location_of(Order *o, uint64_t location) {
  return &o->location[location * 0x9E3779B97F4A7C15ull >> 54];
}

void order_publish(Warp *w, uint64_t location, OrderScope scope, bool release) {
  Order *o = w->block->order;
  if (!o->uses_fence) return;
  if (release) order_fence(w, scope);
  join(*location_of(o, location), o->fenced[w->index]);
  if (o->pool && scope == SCOPE_DEVICE)
    known_publish(o->pool, location, o->others[w->index].fenced);
}

/* The last block of a reduction, as the CUDA Programming Guide writes it, takes its ticket and then
 * reads what the others wrote without a fence: of other blocks a warp knows at once. */
void order_observe(Warp *w, uint64_t location, OrderScope scope, bool acquire) {
  Order *o = w->block->order;
  if (!o->uses_fence) return;
  join(o->pending[w->index], *location_of(o, location));
  if (o->pool && scope == SCOPE_DEVICE) {
    known_observe(o->pool, location, &o->others[w->index].now);
    o->any_others |= o->others[w->index].now != NULL;
  }
  if (!acquire) return;
  join(o->clock[w->index], o->pending[w->index]);
  meet_all(o, w->index);
}

/* --- questions --- */

OrderView order_view(const Warp *w) {
  const Order *o = w->block->order;
  return (OrderView){o->clock[w->index], o->meetings[w->index].ordered};
}

uint32_t order_now(const Warp *w) { return w->block->order->clock[w->index][w->index]; }

/* Lanes that met one another, directly or through others, since the tick. */
static bool lanes_met(const Meetings *m, unsigned old, uint32_t tick, unsigned lane) {
  uint32_t reached = 1u << old;
  if (tick < m->ordered) return true;
  for (int i = 0; i < m->partials; i++) {
    if (m->at[i] > tick && (m->mask[i] & reached)) reached |= m->mask[i];
  }
  return reached >> lane & 1;
}

bool order_within(const Order *o, uint32_t old, uint32_t tick, uint32_t thread) {
  const unsigned other = old / LANES, warp = thread / LANES;
  if (old == thread) return true;
  if (warp != other) return o->clock[warp][other] >= tick;
  return lanes_met(&o->meetings[warp], old % LANES, tick, thread % LANES);
}

bool order_between(const Warp *w, uint32_t block, uint32_t warp, uint32_t tick) {
  const Order *o = w->block->order;
  if (!o->pool) return false;
  return known_is_full(o->pool) || known_has(o->pool, o->others[w->index].now, block, warp, tick);
}
