/* SPDX-License-Identifier: MIT */
#include "emu/run/race/sync.h"

#include "emu/run/race/order.h"

uint64_t sync_location(const Block *owner, uint64_t offset) {
  return WINDOW_BASE(EMU_SHARED) + ((uint64_t)(owner->rank + 1) << CLUSTER_SHIFT) + offset;
}

/* The window of an address distinguishes shared from global locations. */
static uint64_t location(const Warp *w, const Resolved *access, unsigned lane) {
  const bool shared = (access->shared | access->remote) >> lane & 1;
  if (!shared) return access->offset[lane];
  return sync_location(block_owner(w->block, access, lane), access->offset[lane]);
}

/* Shared memory is no other cluster's. */
static MemoryScope scope_of(const Insn *insn, const Resolved *access, unsigned lane) {
  const MemoryScope scope = (MemoryScope)insn->memory.scope;
  const bool global = access->global >> lane & 1;
  return global || scope < SCOPE_CLUSTER ? scope : SCOPE_CLUSTER;
}

typedef void SyncFn(Warp *w, const OrderAccess *access);

/* Calls for each location, with all lanes that access it. */
static void for_locations(Warp *w, const Insn *insn, const Resolved *access, uint32_t lanes,
                          bool orders, SyncFn *fn) {
  for (uint32_t rest = lanes; rest;) {
    const unsigned first = lane_first(rest);
    OrderAccess a = {.insn = insn,
                     .location = location(w, access, first),
                     .scope = scope_of(insn, access, first),
                     .orders = orders,
                     .in_phase = insn->kind == INSN_MBARRIER,
                     .is_updated = insn->kind == INSN_ATOMIC};
    FOR_LANES(lane, rest) a.lanes |= (location(w, access, lane) == a.location ? 1u : 0) << lane;
    rest &= ~a.lanes;
    fn(w, &a);
  }
}

/* A volatile load of shared memory orders only if it waits for a flag, see loads.c. */
void sync_load(Warp *w, const Insn *insn, const Resolved *access) {
  const MemoryOp *op = &insn->memory;
  if (!w->block->program->uses_fence) return;
  const uint32_t lanes = op->strong || op->spins ? access->valid : access->global;
  for_locations(w, insn, access, lanes, op->acquire, order_observe);
}

void sync_store(Warp *w, const Insn *insn, const Resolved *access) {
  if (!w->block->program->uses_fence) return;
  for_locations(w, insn, access, access->valid, insn->memory.release, order_publish);
}
