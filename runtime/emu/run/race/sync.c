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

static OrderScope scope_of(const Insn *insn, const Resolved *access, unsigned lane) {
  const bool global = access->global >> lane & 1;
  return global && !insn->memory.of_block ? SCOPE_DEVICE : SCOPE_BLOCK;
}

/* The lanes of a mask without those whose left neighbour has the same location. */
static uint32_t first_at(const Warp *w, const Resolved *access, uint32_t mask) {
  uint32_t first = mask;
  for (unsigned lane = 1; lane < LANES; lane++) {
    const bool both = (mask >> (lane - 1) & 3) == 3;
    if (both && location(w, access, lane) == location(w, access, lane - 1)) first &= ~(1u << lane);
  }
  return first;
}

/* A volatile load of shared memory orders only if it waits for a flag, see loads.c. */
void sync_load(Warp *w, const Insn *insn, const Resolved *access) {
  const MemoryOp *op = &insn->memory;
  if (!w->block->program->uses_fence) return;
  const uint32_t lanes = op->strong || op->spins ? access->valid : access->global;
  FOR_LANES(lane, first_at(w, access, lanes)) {
    order_observe(w, location(w, access, lane), scope_of(insn, access, lane), op->acquire);
  }
}

void sync_store(Warp *w, const Insn *insn, const Resolved *access) {
  if (!w->block->program->uses_fence) return;
  FOR_LANES(lane, first_at(w, access, access->valid)) {
    order_publish(w, location(w, access, lane), scope_of(insn, access, lane), insn->memory.release);
  }
}
