/* SPDX-License-Identifier: MIT */
/* membar and fence. */
#include "emu/op/op_fence.h"

#include "emu/op/op_move.h"
#include "emu/run/access/memory.h"
#include "emu/run/async/proxy.h"
#include "emu/run/race/order.h"

static Flow exec_fence(Warp *w, const Insn *insn, uint32_t active) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  order_fence(w, active, (MemoryScope)insn->value);
  return FLOW_NEXT;
}

/* fence.mbarrier_init orders nothing but initialisations. */
static Flow exec_init_fence(Warp *w, const Insn *insn, uint32_t active) {
  order_proxy_fence(w, active, PROXY_INIT);
  return exec_fence(w, insn, active);
}

static Flow exec_proxy_fence(Warp *w, const Insn *insn, uint32_t active) {
  for (int i = 0; i < PROXY_SPACES; i++)
    if (insn->value >> i & 1) order_proxy_fence(w, active, (ProxySpace)i);
  return FLOW_NEXT;
}

static Flow exec_map_acquire(Warp *w, const Insn *insn, uint32_t active) {
  uint64_t address[LANES];
  access_addresses(w, &insn->memory, address);
  FOR_LANES(lane, active) {
    const bool known = lane && (active >> (lane - 1) & 1) && address[lane] == address[lane - 1];
    if (!known && !w->block->unchecked) proxy_acquire_map(w, insn, address[lane]);
  }
  return FLOW_NEXT;
}

/* fence.proxy.tensormap::generic.acquire [map], 128. The release alone orders nothing more than the
 * accesses around it do. */
static void decode_map_acquire(Decoder *d) {
  if (!decode_count(d, 2, 2)) return;
  decode_address(d, decode_operand(d, 0), &d->insn->memory);
  d->insn->memory.space = EMU_GLOBAL;
  d->insn->kind = INSN_PLAIN;
  d->insn->fn = exec_map_acquire;
}

/* fence.proxy.async is for all memory or for the state space that it names. Other proxies than that
 * and the tensor maps' are not tracked: their fences do nothing. */
static void decode_proxy_fence(Decoder *d) {
  static const char *const shared[] = {"async", "async::generic", NULL};
  static const char *const spaces[] = {"global", "shared::cta", "shared::cluster", NULL};
  const bool async = decode_take_one(d, shared) >= 0;
  const int space = async ? decode_take_one(d, spaces) : -1;
  if (decode_take(d, "tensormap::generic") && decode_take(d, "acquire")) {
    decode_map_acquire(d);
    return;
  }
  if (!decode_count(d, 0, 2)) return;
  d->insn->kind = INSN_VALUE;
  d->insn->value = space < 0    ? (1u << PROXY_SPACES) - 1
                   : space == 0 ? 1u << PROXY_GLOBAL
                                : 1u << PROXY_SHARED | 1u << PROXY_INIT;
  d->insn->fn = async ? exec_proxy_fence : exec_nothing;
}

/* Memory is sequentially consistent here, so that fences matter only to the race detector. */
void decode_fence(Decoder *d) {
  if (decode_take(d, "proxy")) {
    decode_proxy_fence(d);
    return;
  }
  d->insn->kind = INSN_VALUE;
  d->insn->value = decode_take_scope(d, SCOPE_DEVICE);
  const bool init = decode_take(d, "mbarrier_init");
  if (!decode_count(d, 0, 0)) return;
  d->program->uses_fence = true;
  d->insn->fn = init ? exec_init_fence : exec_fence;
}
