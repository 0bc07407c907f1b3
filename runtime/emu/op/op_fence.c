/* membar and fence. */
#include "emu/op/op_fence.h"

#include "emu/op/op_move.h"
#include "emu/run/race/order.h"

static Flow exec_fence(Warp *w, const Insn *insn, uint32_t active) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  order_fence(w, active, (MemoryScope)insn->value);
  return FLOW_NEXT;
}

static Flow exec_proxy_fence(Warp *w, const Insn *insn, uint32_t active) {
  for (int i = 0; i < PROXY_SPACES; i++)
    if (insn->value >> i & 1) order_proxy_fence(w, active, (ProxySpace)i);
  return FLOW_NEXT;
}

/* fence.proxy.async is for all memory or for the state space that it names. Of other proxies
 * nothing is tracked: their fences do nothing. */
static void decode_proxy_fence(Decoder *d) {
  static const char *const shared[] = {"async", "async::generic", NULL};
  static const char *const spaces[] = {"global", "shared::cta", "shared::cluster", NULL};
  static const char *const orders[] = {"acquire",
                                       "release",
                                       "cta",
                                       "cluster",
                                       "gpu",
                                       "sys",
                                       "sync_restrict::shared::cta",
                                       "sync_restrict::shared::cluster",
                                       NULL};
  const bool async = decode_take_one(d, shared) >= 0;
  const int space = async ? decode_take_one(d, spaces) : -1;
  bool known = async || decode_take(d, "alias") || decode_take(d, "tensormap::generic");
  decode_take_all(d, orders);
  if (!known) decode_fail(d, "this proxy is not supported");
  if (!decode_count(d, 0, 2)) return;
  d->insn->kind = INSN_VALUE;
  d->insn->value = space < 0    ? (1u << PROXY_SPACES) - 1
                   : space == 0 ? 1u << PROXY_GLOBAL
                                : 1u << PROXY_SHARED;
  d->insn->fn = async ? exec_proxy_fence : exec_nothing;
}

/* Memory is sequentially consistent here, so that fences matter only to the race detector. */
void decode_fence(Decoder *d) {
  static const char *const known[] = {"gl",
                                      "sc",
                                      "acq_rel",
                                      "acquire",
                                      "release",
                                      "mbarrier_init",
                                      "sync_restrict::shared::cta",
                                      "sync_restrict::shared::cluster",
                                      NULL};
  if (decode_take(d, "proxy")) {
    decode_proxy_fence(d);
    return;
  }
  d->insn->kind = INSN_VALUE;
  d->insn->value = decode_take_scope(d, SCOPE_DEVICE);
  decode_take_all(d, known);
  if (!decode_count(d, 0, 0)) return;
  d->program->uses_fence = true;
  d->insn->fn = exec_fence;
}
