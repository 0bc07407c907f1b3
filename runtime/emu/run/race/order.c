/* SPDX-License-Identifier: MIT */
#include "emu/run/race/order.h"

#include <stdlib.h>
#include <string.h>

#include "emu/run/race/location.h"
#include "emu/run/race/view.h"

/* --- a cluster --- */

Order *order_new(int blocks, int slots_of_block, bool uses_fence, RemoteClockPool *pool,
                 OrderBefore *before) {
  Order *o = calloc(1, sizeof *o);
  if (!o) return NULL;
  o->blocks = blocks;
  o->slots_of_block = slots_of_block;
  o->slots = blocks * slots_of_block;
  o->uses_fence = uses_fence;
  o->pool = pool;
  o->before = before;
  o->tick = calloc((size_t)o->slots, sizeof *o->tick);
  o->lanes = calloc((size_t)o->slots, sizeof *o->lanes);
  bool ok = o->tick && o->lanes && view_open(o, &o->joined) && clock_open(&o->released, o->slots);
  for (int i = 0; ok && i < o->slots; i++) ok = view_reserve(o, &o->lanes[i], 0) != NULL;
  if (ok) return o;
  order_free(o);
  return NULL;
}

void order_free(Order *o) {
  if (!o) return;
  for (int i = 0; o->lanes && i < o->slots; i++) {
    for (int k = 0; k < LANES; k++) {
      if (o->lanes[i].view[k]) view_close(o, o->lanes[i].view[k]);
      free(o->lanes[i].view[k]);
    }
  }
  location_free_all(o);
  view_close(o, &o->joined);
  clock_close(&o->released);
  attempts_close(&o->attempts);
  free(o->tick);
  free(o->lanes);
  free(o);
}

bool order_goes_on(const Order *o) {
  if (!o) return true;
  bool ok = !o->pool;
  for (int i = 0; i < o->slots; i++) ok = ok && o->tick[i] <= INT32_MAX;
  return ok;
}

/* All slots continue after the last tick of any of them. */
void order_start(Order *o, uint32_t block) {
  if (!o) return;
  uint32_t last = 0;
  for (int i = 0; i < o->slots; i++) last = o->tick[i] > last ? o->tick[i] : last;
  for (int i = 0; i < o->slots; i++) {
    Lanes *l = &o->lanes[i];
    for (int k = 1; k < LANES; k++)
      if (l->view[k]) view_forget_others(o, l->view[k]);
    view_start(o, l->view[0], last);
    memset(l->group, 0, sizeof l->group);
    l->is_apart = false;
    o->tick[i] = last + 1;
  }
  o->level = o->blocks == 1 && !o->pool;
  o->first_block = block;
  o->earlier = last;
  o->starts++;
  attempts_clear(&o->attempts);
}

/* --- barriers --- */

static Order *begin(const Warp *w) {
  Order *o = order_of(w);
  if (!o) return NULL;
  o->before(w->block->race);
  o->level = false;
  return o;
}

/* All lanes of a warp synchronise, which have one view. */
static void meet_together(const Order *o, View *v, int slot) {
  for (int i = 0; i < SCOPES && v->any_fenced; i++)
    clock_raise(&v->fenced[i], slot, ALL_LANES, v->fence[i]);
  clock_raise(&v->now, slot, ALL_LANES, o->tick[slot]);
}

void order_lanes(Warp *w, uint32_t lanes) {
  Order *o = begin(w);
  if (!o) return;
  const Lanes *l = &o->lanes[w->slot];
  lanes = view_with_exited(w, lanes);
  if (lanes == ALL_LANES && !l->is_apart) {
    meet_together(o, l->view[0], w->slot);
  } else {
    view_start(o, &o->joined, 0);
    view_gather(w, &o->joined, lanes);
    view_set_group(w, lanes, &o->joined);
  }
  o->tick[w->slot]++;
}

static uint64_t barrier_key(const Block *block, int barrier) {
  return UINT64_MAX - 1 - (uint64_t)(block->rank * BARRIERS + barrier);
}

/* Every warp of a level block knows all earlier ticks. */
static void meet_level(Order *o, const Block *block) {
  for (int i = 0; i < block->warps; i++) {
    uint32_t *tick = o->lanes[i].view[0]->now.tick;
    for (int k = 0; k < block->warps; k++) tick[k] = o->tick[i];
  }
  for (int i = 0; i < block->warps; i++) o->tick[i]++;
}

/* In the CUDA Programming Guide the last block of a reduction takes a ticket by an atomic, meets
 * its threads, and reads what other blocks wrote: no fence follows the ticket. */
static void acquire_updated(const Order *o, View *v) {
  if (o->pool && v->updated) remote_clock_join(o->pool, &v->others, v->others_pending);
}

void order_warps(Block *block, const uint32_t lanes[MAX_WARPS], int barrier) {
  Order *o = block->order;
  if (!o) return;
  o->before(block->race);
  bool all = o->level;
  for (int i = 0; i < block->warps; i++)
    all = all && (lanes[i] & block->warp[i].alive) == block->warp[i].alive;
  if (all) {
    meet_level(o, block);
    return;
  }
  o->level = false;
  view_start(o, &o->joined, 0);
  Location *arrivals = location_find(o, barrier_key(block, barrier));
  if (arrivals) {
    clock_join(&o->joined.now, &arrivals->visible, o->slots);
    clock_fill(&arrivals->visible, o->slots, 0);
  }
  for (int i = 0; i < block->warps; i++)
    if (lanes[i])
      view_gather(&block->warp[i], &o->joined, view_with_exited(&block->warp[i], lanes[i]));
  acquire_updated(o, &o->joined);
  for (int i = 0; i < block->warps; i++) {
    if (!lanes[i]) continue;
    view_set_group(&block->warp[i], view_with_exited(&block->warp[i], lanes[i]), &o->joined);
    o->tick[block->first_slot + i]++;
  }
}

/* The key of what one block releases at a location to its own threads, and of what any releases to
 * all of the cluster: a cluster of one block has only this. */
static uint64_t key_of(uint64_t location, int rank) {
  return location * MAX_CLUSTER + (uint64_t)rank + ((uint64_t)1 << 62);
}

static uint64_t key_in(const Block *block, uint64_t location, int reach) {
  const bool own = reach == SCOPE_BLOCK && block->cluster->blocks > 1;
  return own ? key_of(location, block->rank) : location;
}

static int reaches(const Block *block) { return block->cluster->blocks > 1 ? REACHES : 1; }

static bool is_any(const Order *o, const Clock *c) {
  for (int i = 0; i < o->slots; i++)
    if (c->tick[i]) return true;
  return c->aparts > 0;
}

/* --- fences --- */

static void fence_view(const Warp *w, View *v, uint32_t group, int scope) {
  const Order *o = order_of(w);
  (void)group;
  for (int i = 0; i < REACHES && i <= scope && v->any_pending; i++)
    clock_join(&v->now, &v->pending[i], o->slots);
  v->any_fenced = true;
  for (int i = 0; i <= scope; i++) {
    clock_copy(&v->fenced[i], &v->now, o->slots);
    v->fence[i] = o->tick[w->slot];
  }
  if (!o->pool || scope != SCOPE_DEVICE) return;
  remote_clock_join(o->pool, &v->others, v->others_pending);
  remote_clock_set(o->pool, &v->others_fenced, v->others);
}

typedef void FenceFn(const Warp *w, View *v, uint32_t group, int kind);

/* Calls `fence` for the view of each group of the lanes. */
static void fence_groups(Warp *w, uint32_t lanes, FenceFn *fence, int kind) {
  Order *o = begin(w);
  if (!o) return;
  uint32_t group;
  for (uint32_t rest = lanes; rest; rest &= ~group) {
    View *v = view_take_group(w, view_with_exited(w, rest), &group);
    fence(w, v, group & lanes, kind);
  }
  o->tick[w->slot]++;
}

void order_fence(Warp *w, uint32_t lanes, MemoryScope scope) {
  fence_groups(w, lanes, fence_view, (int)scope);
}

/* --- releases --- */

static void publish_clock(Order *o, const OrderAccess *a, uint64_t key, const Clock *released,
                          const View *v) {
  Location *at = location_at(o, key);
  if (!at) return;
  clock_join(a->in_phase ? &at->arrived : &at->visible, released, o->slots);
  Clock *proxied = a->in_phase ? at->arrived_proxied : at->visible_proxied;
  for (int i = 0; i < PROXY_SPACES && v->any_proxied; i++)
    clock_join(&proxied[i], &v->proxied[i], o->slots);
}

/* Releases to the threads of other clusters. */
static void publish_remote(const Order *o, const OrderAccess *a, const View *v) {
  RemoteClock *released = NULL;
  remote_clock_set(o->pool, &released, a->orders ? v->others : v->others_fenced);
  for (int i = 0; i < o->blocks; i++)
    remote_clock_add(o->pool, &released, o->first_block + (uint32_t)i, &o->released,
                     i * o->slots_of_block);
  remote_clock_publish(o->pool, a->location, released);
  remote_clock_set(o->pool, &released, NULL);
}

/* The widest scope of the view's fences; -1: there was none. */
static int fence_scope(const Order *o, const View *v) {
  int scope = SCOPES - 1;
  while (scope >= 0 && !v->fence[scope] && !(v->any_fenced && is_any(o, &v->fenced[scope])))
    scope--;
  return scope;
}

/* Threads of other clusters may access the location, too. */
static bool is_global(const OrderAccess *a) {
  return !a->in_phase && memory_space_of(a->location) == EMU_GLOBAL;
}

/* Notes what a release of the whole warp, to all threads, would cover. */
static void note_release(const Warp *w, const OrderAccess *a, const View *v, uint32_t group) {
  Order *o = order_of(w);
  const int fence = fence_scope(o, v);
  const MemoryScope scope = a->orders || fence >= (int)a->scope ? a->scope : (MemoryScope)fence;
  const uint32_t own = v->now.tick[w->slot];
  v->now.tick[w->slot] = o->tick[w->slot];
  const bool releases = a->orders || fence >= 0;
  const Attempt attempt = {
      .location = a->location,
      .release = {a->insn, releases ? scope : a->scope, releases, group, w->slot, o->first_block},
      .known = own,
      .slots = o->slots,
      .tick = v->now.tick};
  attempts_release(&o->attempts, &attempt);
  if (o->pool && is_global(a)) remote_clock_attempt(o->pool, &attempt);
  v->now.tick[w->slot] = own;
}

/* The clock that a lane of the view releases to threads within the scope. */
static void take_released(Order *o, const Warp *w, const OrderAccess *a, const View *v,
                          uint32_t group, int scope) {
  clock_copy(&o->released, a->orders ? &v->now : &v->fenced[scope], o->slots);
  clock_raise(&o->released, w->slot, group, a->orders ? o->tick[w->slot] : v->fence[scope]);
}

void order_publish(Warp *w, const OrderAccess *a) {
  const Block *block = w->block;
  if (!block->order || !block->order->uses_fence) return;
  Order *o = begin(w);
  uint32_t group;
  bool any = false;
  for (uint32_t rest = a->lanes; rest; rest &= ~group) {
    const View *v = view_peek_group(w, rest, &group);
    note_release(w, a, v, group);
    if (!a->orders && !v->any_fenced) continue;
    any = true;
    for (int i = 0; i < reaches(block) && i <= (int)a->scope; i++) {
      take_released(o, w, a, v, group, i);
      publish_clock(o, a, key_in(block, a->location, i), &o->released, v);
    }
    if (!o->pool || a->scope != SCOPE_DEVICE) continue;
    take_released(o, w, a, v, group, SCOPE_DEVICE);
    publish_remote(o, a, v);
  }
  o->tick[w->slot] += any;
}

void order_arrive(Warp *w, uint32_t lanes, int barrier) {
  Order *o = begin(w);
  if (!o) return;
  view_start(o, &o->joined, 0);
  view_gather(w, &o->joined, view_with_exited(w, lanes));
  Location *at = location_at(o, barrier_key(w->block, barrier));
  if (at) clock_join(&at->visible, &o->joined.now, o->slots);
  o->tick[w->slot]++;
}

/* --- acquires --- */

static bool adds(const Order *o, const View *v, const Clock *now, const Location *at) {
  bool news = !clock_covers(now, &at->visible, o->slots);
  for (int i = 0; i < PROXY_SPACES; i++)
    news = news || !clock_covers(&v->proxied[i], &at->visible_proxied[i], o->slots);
  return news;
}

static void observe_clock(Warp *w, const OrderAccess *a, uint32_t rest, int reach) {
  Order *o = order_of(w);
  const Location *at = location_find(o, key_in(w->block, a->location, reach));
  if (!at) return;
  uint32_t group;
  View *v = view_peek_group(w, rest, &group);
  if (!adds(o, v, a->orders ? &v->now : &v->pending[reach], at)) return;
  v = view_take_group(w, view_with_exited(w, rest), &group);
  clock_join(a->orders ? &v->now : &v->pending[reach], &at->visible, o->slots);
  v->any_pending |= !a->orders;
  for (int i = 0; i < PROXY_SPACES; i++)
    clock_join(&v->proxied[i], &at->visible_proxied[i], o->slots);
  v->any_proxied = true;
}

static RemoteClock **acquired_by(const OrderAccess *a, View *v) {
  return a->orders ? &v->others : &v->others_pending;
}

static void observe_remote(Warp *w, const OrderAccess *a, uint32_t rest) {
  const Order *o = order_of(w);
  uint32_t group;
  View *v = view_peek_group(w, rest, &group);
  RemoteClock *next = NULL;
  remote_clock_set(o->pool, &next, *acquired_by(a, v));
  remote_clock_observe(o->pool, a->location, &next);
  if (next != *acquired_by(a, v)) {
    v = view_take_group(w, view_with_exited(w, rest), &group);
    remote_clock_set(o->pool, acquired_by(a, v), next);
    v->updated |= a->is_updated;
  }
  remote_clock_set(o->pool, &next, NULL);
}

void order_observe(Warp *w, const OrderAccess *a) {
  const Block *block = w->block;
  if (!block->order || !block->order->uses_fence) return;
  Order *o = begin(w);
  const AttemptSide acquire = {a->insn, a->scope, a->orders, a->lanes, w->slot, o->first_block};
  attempts_acquire(&o->attempts, a->location, acquire);
  if (o->pool && is_global(a)) remote_clock_attempt_acquire(o->pool, a->location, acquire);
  uint32_t group;
  for (uint32_t rest = a->lanes; rest; rest &= ~group) {
    view_peek_group(w, rest, &group);
    for (int i = 0; i < reaches(block) && i <= (int)a->scope; i++) observe_clock(w, a, group, i);
    if (o->pool && a->scope == SCOPE_DEVICE) observe_remote(w, a, group);
  }
}

static void complete(const Order *o, Location *at) {
  clock_join(&at->visible, &at->arrived, o->slots);
  for (int i = 0; i < PROXY_SPACES; i++)
    clock_join(&at->visible_proxied[i], &at->arrived_proxied[i], o->slots);
}

void order_phase(Order *o, uint64_t location) {
  if (!o || !o->uses_fence) return;
  Location *at = location_find(o, location);
  if (at) complete(o, at);
  for (int i = 0; i < o->blocks && o->blocks > 1; i++) {
    at = location_find(o, key_of(location, i));
    if (at) complete(o, at);
  }
}

/* --- the async proxy --- */

static void proxy_fence_view(const Warp *w, View *v, uint32_t group, int space) {
  const Order *o = order_of(w);
  clock_join(&v->proxied[space], &v->now, o->slots);
  clock_raise(&v->proxied[space], w->slot, group, o->tick[w->slot]);
  v->any_proxied = true;
}

void order_proxy_fence(Warp *w, uint32_t lanes, ProxySpace space) {
  fence_groups(w, lanes, proxy_fence_view, (int)space);
}

bool order_is_proxied(const Warp *w, unsigned lane, ProxySpace space, int slot, unsigned old_lane,
                      uint32_t tick) {
  return tick <= order_of(w)->earlier ||
         clock_has(&view_of(w, lane)->proxied[space], slot, old_lane, tick);
}

static int copy_slot(const Block *block) { return block->first_slot + block->warps; }

uint32_t order_copy_thread(const Block *block) { return (uint32_t)copy_slot(block) * LANES; }

uint32_t order_copy_tick(Block *block) { return ++block->order->tick[copy_slot(block)]; }

void order_copy_publish(Block *block, uint64_t location) {
  Order *o = block->order;
  const int slot = copy_slot(block);
  for (int i = 0; o && i < reaches(block); i++) {
    Location *at = location_at(o, key_in(block, location, i));
    if (at) clock_raise(&at->arrived, slot, ALL_LANES, o->tick[slot]);
  }
}

/* --- queries --- */

OrderView order_view(const Warp *w) {
  const Order *o = order_of(w);
  const Lanes *l = &o->lanes[w->slot];
  const Clock *now = &l->view[l->group[0]]->now;
  return (OrderView){now->tick, !l->is_apart && !now->aparts, o->level};
}

uint32_t order_now(const Warp *w) {
  const Order *o = order_of(w);
  return !o ? 0 : o->tick[w->slot];
}

bool order_has(const Warp *w, unsigned lane, int slot, unsigned old_lane, uint32_t tick) {
  return clock_has(&view_of(w, lane)->now, slot, old_lane, tick);
}

bool order_has_any(const Warp *w, unsigned lane, int slot, uint32_t tick) {
  const Clock *now = &view_of(w, lane)->now;
  bool any = false;
  for (unsigned i = 0; i < LANES; i++) any = any || clock_has(now, slot, i, tick);
  return any;
}

bool order_has_remote(const Warp *w, unsigned lane, uint32_t block, int warp, unsigned old_lane,
                      uint32_t tick) {
  const Order *o = order_of(w);
  if (!o->pool) return false;
  return remote_clock_is_full(o->pool) ||
         remote_clock_has(o->pool, view_of(w, lane)->others, block, warp, old_lane, tick);
}

Attempt order_attempt(const Warp *w, uint32_t block, int slot, uint32_t tick) {
  const Order *o = order_of(w);
  if (block - o->first_block >= (uint32_t)o->blocks)
    return o->pool ? remote_clock_find_attempt(o->pool, block, o->slots_of_block, slot, tick)
                   : (Attempt){0};
  const Attempt *found = attempts_find(&o->attempts, block, o->slots_of_block, slot, tick);
  return found ? *found : (Attempt){0};
}
