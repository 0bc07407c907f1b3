#include "emu/run/sync.h"

#include "emu/code/decode.h"
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

static Flow exec_fence(Warp *w, const Insn *insn, uint32_t active) {
  (void)insn, (void)active;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  race_fence(w);
  return FLOW_NEXT;
}

/* membar and fence of every scope and kind: memory is sequentially consistent here, so that they
 * only matter to the race detector. */
void decode_fence(Decoder *d) {
  static const char *const known[] = {"cta",
                                      "gl",
                                      "sys",
                                      "gpu",
                                      "cluster",
                                      "sc",
                                      "acq_rel",
                                      "acquire",
                                      "release",
                                      "proxy",
                                      "async",
                                      "alias",
                                      "mbarrier_init",
                                      "async::generic",
                                      "async::global",
                                      "async::shared::cta",
                                      "sync_restrict::shared::cta::cluster",
                                      "sync_restrict::shared::cluster::cluster"};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) decode_take(d, known[i]);
  if (!decode_count(d, 0, 0)) return;
  d->program->uses_fence = true;
  d->insn->fn = exec_fence;
}
