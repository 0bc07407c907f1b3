/* SPDX-License-Identifier: MIT */
#include "emu/run/race/view.h"

#include <stdlib.h>
#include <string.h>

/* --- views --- */

bool view_open(const Order *o, View *v) {
  bool ok = clock_open(&v->now, o->slots);
  for (int i = 0; i < SCOPES; i++) ok = ok && clock_open(&v->fenced[i], o->slots);
  for (int i = 0; i < REACHES; i++) ok = ok && clock_open(&v->pending[i], o->slots);
  for (int i = 0; i < PROXY_SPACES; i++) ok = ok && clock_open(&v->proxied[i], o->slots);
  return ok;
}

void view_forget_others(const Order *o, View *v) {
  if (!o->pool) return;
  remote_clock_set(o->pool, &v->others, NULL);
  remote_clock_set(o->pool, &v->others_fenced, NULL);
  remote_clock_set(o->pool, &v->others_pending, NULL);
}

void view_close(const Order *o, View *v) {
  view_forget_others(o, v);
  clock_close(&v->now);
  for (int i = 0; i < SCOPES; i++) clock_close(&v->fenced[i]);
  for (int i = 0; i < REACHES; i++) clock_close(&v->pending[i]);
  for (int i = 0; i < PROXY_SPACES; i++) clock_close(&v->proxied[i]);
}

void view_start(const Order *o, View *v, uint32_t tick) {
  view_forget_others(o, v);
  clock_fill(&v->now, o->slots, tick);
  for (int i = 0; i < SCOPES && v->any_fenced; i++) clock_fill(&v->fenced[i], o->slots, 0);
  memset(v->fence, 0, sizeof v->fence);
  for (int i = 0; i < REACHES && v->any_pending; i++) clock_fill(&v->pending[i], o->slots, 0);
  for (int i = 0; i < PROXY_SPACES && v->any_proxied; i++) clock_fill(&v->proxied[i], o->slots, 0);
  v->any_fenced = v->any_pending = v->any_proxied = v->updated = false;
}

typedef void ClockFn(Clock *to, const Clock *from, int slots);

/* Copies or joins all clocks but the remote ones. */
static void view_take(const Order *o, View *to, const View *from, ClockFn *take, bool all) {
  take(&to->now, &from->now, o->slots);
  for (int i = 0; i < SCOPES && (all || from->any_fenced); i++)
    take(&to->fenced[i], &from->fenced[i], o->slots);
  for (int i = 0; i < REACHES && (all || from->any_pending); i++)
    take(&to->pending[i], &from->pending[i], o->slots);
  for (int i = 0; i < PROXY_SPACES && (all || from->any_proxied); i++)
    take(&to->proxied[i], &from->proxied[i], o->slots);
}

static void view_copy(const Order *o, View *to, const View *from) {
  const bool all = to->any_fenced || to->any_pending || to->any_proxied || from->any_fenced ||
                   from->any_pending || from->any_proxied;
  view_take(o, to, from, clock_copy, all);
  memcpy(to->fence, from->fence, sizeof to->fence);
  to->any_fenced = from->any_fenced;
  to->any_pending = from->any_pending;
  to->any_proxied = from->any_proxied;
  to->updated = from->updated;
  if (!o->pool) return;
  remote_clock_set(o->pool, &to->others, from->others);
  remote_clock_set(o->pool, &to->others_fenced, from->others_fenced);
  remote_clock_set(o->pool, &to->others_pending, from->others_pending);
}

static void view_join(const Order *o, View *to, const View *from) {
  view_take(o, to, from, clock_join, false);
  to->any_fenced |= from->any_fenced;
  to->any_pending |= from->any_pending;
  to->any_proxied |= from->any_proxied;
  to->updated |= from->updated;
  if (!o->pool) return;
  remote_clock_join(o->pool, &to->others, from->others);
  remote_clock_join(o->pool, &to->others_fenced, from->others_fenced);
  remote_clock_join(o->pool, &to->others_pending, from->others_pending);
}

/* --- groups of lanes --- */

static uint32_t members(const Lanes *l, unsigned group) {
  uint32_t in = 0;
  for (unsigned i = 0; i < LANES; i++) in |= (l->group[i] == group ? 1u : 0) << i;
  return in;
}

View *view_reserve(const Order *o, Lanes *l, unsigned lane) {
  if (l->view[lane]) return l->view[lane];
  View *v = calloc(1, sizeof *v);
  if (v && view_open(o, v)) return l->view[lane] = v;
  if (v) view_close(o, v);
  free(v);
  return NULL;
}

uint32_t view_with_exited(const Warp *w, uint32_t lanes) {
  return (lanes & w->alive) == w->alive ? ALL_LANES : lanes;
}

View *view_take_group(Warp *w, uint32_t rest, uint32_t *group) {
  Order *o = order_of(w);
  Lanes *l = &o->lanes[w->slot];
  const unsigned old = l->group[lane_first(rest)];
  const uint32_t all = l->is_apart ? members(l, old) : ALL_LANES, out = all & ~rest;
  *group = all & rest;
  if (!out) return l->view[old];
  const uint32_t moved = *group >> old & 1 ? out : *group;
  const unsigned lane = lane_first(moved);
  View *copy = view_reserve(o, l, lane);
  if (!copy) return l->view[old];
  view_copy(o, copy, l->view[old]);
  FOR_LANES(i, moved) l->group[i] = (uint8_t)lane;
  l->is_apart = true;
  return moved == out ? l->view[old] : copy;
}

View *view_peek_group(const Warp *w, uint32_t rest, uint32_t *group) {
  const Lanes *l = &order_of(w)->lanes[w->slot];
  const unsigned old = l->group[lane_first(rest)];
  *group = (l->is_apart ? members(l, old) : ALL_LANES) & rest;
  return l->view[old];
}

void view_set_group(Warp *w, uint32_t lanes, const View *v) {
  Order *o = order_of(w);
  Lanes *l = &o->lanes[w->slot];
  uint32_t group;
  if (lanes != ALL_LANES)
    for (uint32_t rest = lanes; rest; rest &= ~group) view_take_group(w, lanes & rest, &group);
  const unsigned lane = lane_first(lanes);
  View *to = view_reserve(o, l, lane);
  if (!to) return;
  view_copy(o, to, v);
  FOR_LANES(i, lanes) l->group[i] = (uint8_t)lane;
  l->is_apart = lanes != ALL_LANES;
}

void view_gather(const Warp *w, View *to, uint32_t lanes) {
  const Order *o = order_of(w);
  const Lanes *l = &o->lanes[w->slot];
  uint32_t done = 0;
  FOR_LANES(lane, lanes) {
    if (done >> l->group[lane] & 1) continue;
    done |= 1u << l->group[lane];
    const View *v = l->view[l->group[lane]];
    const uint32_t group = lanes & (l->is_apart ? members(l, l->group[lane]) : ALL_LANES);
    view_join(o, to, v);
    for (int i = 0; i < SCOPES && v->any_fenced; i++)
      clock_raise(&to->fenced[i], w->slot, group, v->fence[i]);
  }
  clock_raise(&to->now, w->slot, lanes, o->tick[w->slot]);
}
