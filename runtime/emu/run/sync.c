#include "emu/run/sync.h"

#include "emu/run/order.h"

/* Shared and global locations are told apart by the window. */
static uint64_t location(const Resolved *access, unsigned lane) {
  bool shared = access->shared >> lane & 1;
  return access->offset[lane] + (shared ? WINDOW_BASE(EMU_SHARED) : 0);
}

static OrderScope scope_of(const Insn *insn, const Resolved *access, unsigned lane) {
  const bool global = access->global >> lane & 1;
  return global && !insn->memory.of_block ? SCOPE_DEVICE : SCOPE_BLOCK;
}

/* The lanes of a mask that are the first at their location, of neighbours at one. */
static uint32_t first_at(const Resolved *access, uint32_t mask) {
  uint32_t first = mask;
  for (unsigned lane = 1; lane < LANES; lane++) {
    const bool both = (mask >> (lane - 1) & 3) == 3;
    if (both && location(access, lane) == location(access, lane - 1)) first &= ~(1u << lane);
  }
  return first;
}

/* A volatile load of shared memory orders only where it waits for a flag: see loads.c. */
void sync_load(Warp *w, const Insn *insn, const Resolved *access) {
  const MemoryOp *op = &insn->memory;
  if (!w->block->program->uses_fence) return;
  const uint32_t lanes = op->strong || op->spins ? access->valid : access->global;
  FOR_LANES(lane, first_at(access, lanes)) {
    order_observe(w, location(access, lane), scope_of(insn, access, lane), op->acquire);
  }
}

void sync_store(Warp *w, const Insn *insn, const Resolved *access) {
  if (!w->block->program->uses_fence) return;
  FOR_LANES(lane, first_at(access, access->valid)) {
    order_publish(w, location(access, lane), scope_of(insn, access, lane), insn->memory.release);
  }
}
