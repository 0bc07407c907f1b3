#include "emu/run/sync.h"

#include "emu/run/race.h"

/* Shared and global locations are told apart by the window. */
static uint64_t location(const Access *access, unsigned lane) {
  bool shared = access->shared >> lane & 1;
  return access->offset[lane] + (shared ? WINDOW_BASE(EMU_SHARED) : 0);
}

void sync_load(Warp *w, const Insn *insn, const Access *access) {
  FOR_LANES(lane, access->valid) race_observe(w, location(access, lane), insn->memory.acquire);
}

void sync_store(Warp *w, const Insn *insn, const Access *access) {
  FOR_LANES(lane, access->valid) race_publish(w, location(access, lane), insn->memory.release);
}

void sync_atomic(Warp *w, const Insn *insn, const Access *access) {
  sync_store(w, insn, access);
  sync_load(w, insn, access);
}
