#include "emu/run/race/order.h"

#include <stdlib.h>
#include <string.h>

enum { PARTIAL_SYNCS = 32, LOCATIONS = 1024 };

/* The synchronizations of a warp's lanes. Those of all lanes order everything before them; the
 * others are kept one by one, and what is older than the kept ones counts as ordered. */
typedef struct {
  uint32_t ordered; /* ticks before it are */
  int partials;
  uint32_t mask[PARTIAL_SYNCS], at[PARTIAL_SYNCS];
} Meetings;

/* What a warp knows of blocks outside of its cluster, and what it may release to them: as of its
 * last fence, or of the fences of warps that it met at a barrier since. */
typedef struct {
  RemoteClock *now, *fenced;
} Others;

/* A clock is a row with one tick per slot. Slots are the warps and the copies of all blocks of a
 * cluster. */
struct Order {
  int slots, slots_of_block;
  uint32_t *clock; /* by slot: its own tick, and the ticks of others that are ordered before */
  Meetings *meetings;
  bool level; /* so far only all warps of its one block have met: their ticks are equal */
  bool uses_fence;
  uint32_t *fenced, *pending;
  bool any_proxied; /* a proxy fence so far */
  /* By slot: the ticks up to which a proxy fence follows ordinary writes. */
  uint32_t *proxied[PROXY_SPACES];
  /* By hash: sharing an entry only orders more. */
  uint32_t *location, *location_proxied[PROXY_SPACES];
  uint32_t block; /* the first */
  RemoteClockPool *pool;
  OrderBefore *before;
  bool any_others;
  Others *others;
};

static uint32_t *row(const Order *o, uint32_t *clocks, int slot) {
  return clocks + (size_t)slot * (size_t)o->slots;
}

static size_t row_bytes(const Order *o) { return (size_t)o->slots * sizeof(uint32_t); }

static bool open_rows(Order *o) {
  const size_t slots = (size_t)o->slots, bytes = row_bytes(o);
  o->clock = calloc(slots, bytes);
  o->fenced = calloc(slots, bytes);
  o->pending = calloc(slots, bytes);
  o->location = calloc(LOCATIONS, bytes);
  o->meetings = calloc(slots, sizeof *o->meetings);
  o->others = calloc(slots, sizeof *o->others);
  bool ok = o->clock && o->fenced && o->pending && o->location && o->meetings && o->others;
  for (int i = 0; i < PROXY_SPACES; i++) {
    o->proxied[i] = calloc(slots, bytes);
    o->location_proxied[i] = calloc(LOCATIONS, bytes);
    ok = ok && o->proxied[i] && o->location_proxied[i];
  }
  return ok;
}

Order *order_new(int blocks, int slots_of_block, bool uses_fence, RemoteClockPool *pool,
                 OrderBefore *before) {
  Order *o = calloc(1, sizeof *o);
  if (!o) return NULL;
  o->slots_of_block = slots_of_block;
  o->slots = blocks * slots_of_block;
  o->uses_fence = uses_fence;
  o->pool = pool;
  o->before = before;
  if (open_rows(o)) return o;
  order_free(o);
  return NULL;
}

static void forget_others(Order *o) {
  for (int i = 0; i < o->slots && o->any_others; i++) {
    remote_clock_set(o->pool, &o->others[i].now, NULL);
    remote_clock_set(o->pool, &o->others[i].fenced, NULL);
  }
  o->any_others = false;
}

void order_free(Order *o) {
  if (!o) return;
  forget_others(o);
  free(o->clock);
  free(o->fenced);
  free(o->pending);
  free(o->location);
  for (int i = 0; i < PROXY_SPACES; i++) {
    free(o->proxied[i]);
    free(o->location_proxied[i]);
  }
  free(o->meetings);
  free(o->others);
  free(o);
}

bool order_goes_on(const Order *o) {
  if (!o) return true;
  bool ok = !o->pool;
  for (int i = 0; i < o->slots; i++) ok = ok && row(o, o->clock, i)[i] <= INT32_MAX;
  return ok;
}

/* --- clocks --- */

static void join(const Order *o, uint32_t *into, const uint32_t *from) {
  for (int i = 0; i < o->slots; i++) {
    if (from[i] > into[i]) into[i] = from[i];
  }
}

static void meet_all(Order *o, int slot) {
  o->meetings[slot].ordered = ++row(o, o->clock, slot)[slot];
  o->meetings[slot].partials = 0;
}

/* All slots continue from the tick of the last one. */
static void level_ticks(Order *o) {
  uint32_t last = 0;
  for (int i = 0; i < o->slots; i++) {
    const uint32_t tick = row(o, o->clock, i)[i];
    if (tick > last) last = tick;
  }
  for (int i = 0; i < o->slots; i++) row(o, o->clock, i)[i] = last;
  o->level = o->slots == o->slots_of_block && !o->pool;
}

/* Joins all rows into row 0, and then copies that to every row. */
void order_start(Order *o, uint32_t block) {
  if (!o) return;
  level_ticks(o);
  for (int i = 1; i < o->slots; i++) join(o, o->clock, row(o, o->clock, i));
  for (int i = 1; i < o->slots; i++) memcpy(row(o, o->clock, i), o->clock, row_bytes(o));
  for (int i = 0; i < PROXY_SPACES; i++)
    memcpy(o->proxied[i], o->clock, (size_t)o->slots * row_bytes(o));
  o->any_proxied = false;
  for (int i = 0; i < o->slots; i++) meet_all(o, i);
  o->block = block;
  if (!o->uses_fence) return;
  forget_others(o);
  memset(o->fenced, 0, (size_t)o->slots * row_bytes(o));
  memset(o->pending, 0, (size_t)o->slots * row_bytes(o));
  memset(o->location, 0, LOCATIONS * row_bytes(o));
  for (int i = 0; i < PROXY_SPACES; i++)
    memset(o->location_proxied[i], 0, LOCATIONS * row_bytes(o));
}

void order_lanes(Warp *w, uint32_t lanes) {
  Order *o = w->block->order;
  if (!o) return;
  o->before(w->block->race);
  o->level = false;
  Meetings *m = &o->meetings[w->slot];
  if ((lanes & w->alive) == w->alive) {
    meet_all(o, w->slot);
    return;
  }
  if (m->partials == PARTIAL_SYNCS) {
    m->ordered = m->at[0];
    memmove(m->mask, m->mask + 1, sizeof m->mask - sizeof *m->mask);
    memmove(m->at, m->at + 1, sizeof m->at - sizeof *m->at);
    m->partials--;
  }
  m->mask[m->partials] = lanes;
  m->at[m->partials++] = ++row(o, o->clock, w->slot)[w->slot];
}

/* --- meetings of warps --- */

/* Joins the clocks of all warps of a mask, and what each may release: commonly every thread fences,
 * all meet, and then one of them releases. */
static void share_others(Order *o, int first, uint32_t syncs, uint32_t arrivals) {
  Others all = {0};
  FOR_LANES(i, syncs | arrivals) {
    remote_clock_join(o->pool, &all.now, o->others[first + (int)i].now);
    remote_clock_join(o->pool, &all.fenced, o->others[first + (int)i].fenced);
  }
  FOR_LANES(i, syncs) {
    remote_clock_set(o->pool, &o->others[first + (int)i].now, all.now);
    remote_clock_set(o->pool, &o->others[first + (int)i].fenced, all.fenced);
  }
  remote_clock_set(o->pool, &all.now, NULL);
  remote_clock_set(o->pool, &all.fenced, NULL);
}

/* Gives the warps of one mask what any warp of either mask has. */
static void share_rows(const Order *o, uint32_t *rows, int first, uint32_t syncs,
                       uint32_t arrivals) {
  const uint32_t all = syncs | arrivals;
  if (!syncs) return;
  uint32_t *into = row(o, rows, first + (int)lane_first(syncs));
  FOR_LANES(i, all) join(o, into, row(o, rows, first + (int)i));
  FOR_LANES(i, syncs) {
    uint32_t *to = row(o, rows, first + (int)i);
    if (to != into) memcpy(to, into, row_bytes(o));
  }
}

void order_warps(Block *block, uint32_t syncs, uint32_t arrivals) {
  Order *o = block->order;
  if (!o) return;
  o->before(block->race);
  o->level = o->level && lane_count(syncs) == (uint32_t)block->warps;
  const int first = block->first_slot;
  share_rows(o, o->clock, first, syncs, arrivals);
  for (int i = 0; i < PROXY_SPACES && o->any_proxied; i++)
    share_rows(o, o->proxied[i], first, syncs, arrivals);
  FOR_LANES(i, syncs) meet_all(o, first + (int)i);
  FOR_LANES(i, arrivals & ~syncs) row(o, o->clock, first + (int)i)[first + (int)i]++;
  if (o->any_others) share_others(o, first, syncs, arrivals);
}

/* --- fences --- */

/* What a warp acquired from a block through memory counts as from any of its warps, which orders
 * more than required. */
static void fence_others(Warp *w, Order *o, OrderScope scope) {
  Others *mine = &o->others[w->slot];
  if (scope == SCOPE_BLOCK) {
    for (int i = 0; i < o->slots && o->any_others; i++)
      remote_clock_join(o->pool, &mine->now, o->others[i].now);
    return;
  }
  o->any_others = true;
  remote_clock_set(o->pool, &mine->fenced, mine->now);
  const uint32_t *clock = row(o, o->clock, w->slot);
  for (int i = 0; i * o->slots_of_block < o->slots; i++)
    remote_clock_add(o->pool, &mine->fenced, o->block + (uint32_t)i, clock + i * o->slots_of_block);
}

void order_fence(Warp *w, OrderScope scope) {
  Order *o = w->block->order;
  if (!o) return;
  o->before(w->block->race);
  o->level = false;
  uint32_t *clock = row(o, o->clock, w->slot);
  join(o, clock, row(o, o->pending, w->slot));
  if (o->pool) fence_others(w, o, scope);
  memcpy(row(o, o->fenced, w->slot), clock, row_bytes(o));
  meet_all(o, w->slot);
}

static uint32_t *location_of(const Order *o, uint32_t *locations, uint64_t location) {
  return row(o, locations, (int)(location * 0x9E3779B97F4A7C15ull >> 54));
}

void order_publish(Warp *w, uint64_t location, OrderScope scope, bool release) {
  Order *o = w->block->order;
  if (!o || !o->uses_fence) return;
  o->before(w->block->race);
  o->level = false;
  if (release) order_fence(w, scope);
  join(o, location_of(o, o->location, location), row(o, o->fenced, w->slot));
  for (int i = 0; i < PROXY_SPACES && o->any_proxied; i++)
    join(o, location_of(o, o->location_proxied[i], location), row(o, o->proxied[i], w->slot));
  if (o->pool && scope == SCOPE_DEVICE)
    remote_clock_publish(o->pool, location, o->others[w->slot].fenced);
}

/* In the CUDA Programming Guide the last block of a reduction takes its ticket and then reads what
 * the others wrote, without a fence: so a warp acquires from other blocks at once. */
void order_observe(Warp *w, uint64_t location, OrderScope scope, bool acquire) {
  Order *o = w->block->order;
  if (!o || !o->uses_fence) return;
  o->before(w->block->race);
  o->level = false;
  join(o, row(o, o->pending, w->slot), location_of(o, o->location, location));
  for (int i = 0; i < PROXY_SPACES && o->any_proxied; i++)
    join(o, row(o, o->proxied[i], w->slot), location_of(o, o->location_proxied[i], location));
  if (o->pool && scope == SCOPE_DEVICE) {
    remote_clock_observe(o->pool, location, &o->others[w->slot].now);
    o->any_others |= o->others[w->slot].now != NULL;
  }
  if (!acquire) return;
  join(o, row(o, o->clock, w->slot), row(o, o->pending, w->slot));
  meet_all(o, w->slot);
}

/* --- the async proxy --- */

/* Advances the tick, so that what the warp writes next is not ordered by the fence. */
void order_proxy_fence(Warp *w, ProxySpace space) {
  Order *o = w->block->order;
  if (!o) return;
  o->before(w->block->race);
  o->level = false;
  uint32_t *clock = row(o, o->clock, w->slot);
  join(o, row(o, o->proxied[space], w->slot), clock);
  o->any_proxied = true;
  clock[w->slot]++;
}

bool order_is_proxied(const Warp *w, ProxySpace space, uint32_t thread, uint32_t tick) {
  const Order *o = w->block->order;
  return row(o, o->proxied[space], w->slot)[thread / LANES] >= tick;
}

static int copy_slot(const Block *block) { return block->first_slot + block->warps; }

uint32_t order_copy_thread(const Block *block) { return (uint32_t)copy_slot(block) * LANES; }

uint32_t order_copy_tick(Block *block) {
  const int slot = copy_slot(block);
  return ++row(block->order, block->order->clock, slot)[slot];
}

void order_copy_publish(Block *block, uint64_t location) {
  Order *o = block->order;
  if (!o) return;
  join(o, location_of(o, o->location, location), row(o, o->clock, copy_slot(block)));
}

/* --- queries --- */

OrderView order_view(const Warp *w) {
  const Order *o = w->block->order;
  const Meetings *m = &o->meetings[w->slot];
  return (OrderView){row(o, o->clock, w->slot), m->ordered, m->partials > 0, o->level};
}

uint32_t order_now(const Warp *w) {
  const Order *o = w->block->order;
  return !o ? 0 : row(o, o->clock, w->slot)[w->slot];
}

/* The lanes that synchronized since the tick, directly or through others. */
static bool lanes_met(const Meetings *m, unsigned old, uint32_t tick, unsigned lane) {
  uint32_t reached = 1u << old;
  if (tick < m->ordered) return true;
  for (int i = 0; i < m->partials; i++) {
    if (m->at[i] > tick && (m->mask[i] & reached)) reached |= m->mask[i];
  }
  return reached >> lane & 1;
}

bool order_within(const Order *o, uint32_t old, uint32_t tick, uint32_t thread) {
  const unsigned other = old / LANES, slot = thread / LANES;
  if (old == thread) return true;
  if (slot != other) return row(o, o->clock, (int)slot)[other] >= tick;
  return lanes_met(&o->meetings[slot], old % LANES, tick, thread % LANES);
}

bool order_between(const Warp *w, uint32_t block, uint32_t warp, uint32_t tick) {
  const Order *o = w->block->order;
  if (!o->pool) return false;
  return remote_clock_is_full(o->pool) ||
         remote_clock_has(o->pool, o->others[w->slot].now, block, warp, tick);
}
