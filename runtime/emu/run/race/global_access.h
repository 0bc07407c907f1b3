/* SPDX-License-Identifier: MIT */
/* global_access.h: one warp-wide access to global memory on its way through the race detector. */
#ifndef KGEN_EMU_RUN_RACE_GLOBAL_ACCESS_H
#define KGEN_EMU_RUN_RACE_GLOBAL_ACCESS_H

#include "emu/memory/element.h"
#include "emu/run/race/kind.h"
#include "emu/run/race/order.h"
#include "emu/run/race/shadow.h"
#include "emu/run/state/block.h"

typedef struct {
  Warp *warp;
  const Insn *insn;
  RaceKind kind;
  uint32_t active;
  bool is_row;        /* all lanes are active, and their addresses consecutive */
  const uint64_t *at; /* addresses of the lanes */
  unsigned bytes, piece;
  const uint8_t *const *value; /* of a write */
  uint8_t *const *host;        /* where memory lies on the host, by lane */
  Stamp now;                   /* of lane 0 */
  OrderView order;
  bool is_map; /* a tensor map, which has fences of its own */
  bool lone;   /* no other block can be ordered before or after this one */
  Shadow *shadow;
  ShadowPage *page; /* locked, or NULL */
  Mark mark;        /* of lane 0 there */
} GlobalAccess;

static inline void touch_store(const GlobalAccess *t, unsigned lane) {
  if (t->value) element_copy(t->host[lane], t->value[lane], t->bytes, t->piece);
}

#endif
