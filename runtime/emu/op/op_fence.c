#include "emu/op/op_fence.h"

#include "emu/run/order.h"

static Flow exec_fence(Warp *w, const Insn *insn, uint32_t active) {
  (void)active;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  order_fence(w, insn->value ? SCOPE_BLOCK : SCOPE_DEVICE);
  return FLOW_NEXT;
}

/* membar and fence of every scope and kind: memory is sequentially consistent here, so that they
 * only matter to the race detector. */
void decode_fence(Decoder *d) {
  static const char *const known[] = {"gl",
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
  d->insn->kind = INSN_VALUE;
  d->insn->value = decode_take(d, "cta");
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) decode_take(d, known[i]);
  if (!decode_count(d, 0, 0)) return;
  d->program->uses_fence = true;
  d->insn->fn = exec_fence;
}
