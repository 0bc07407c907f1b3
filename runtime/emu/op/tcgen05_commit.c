/* SPDX-License-Identifier: MIT */
/* tcgen05.commit. Its arrival is performed at once: run/race/tensor_uses.h. */
#include "emu/op/tcgen05_commit.h"

#include "emu/op/tcgen05.h"
#include "emu/run/access/memory.h"
#include "emu/run/async/mbarrier.h"
#include "emu/run/race/order.h"
#include "emu/run/race/shared.h"
#include "emu/run/race/sync.h"
#include "emu/run/race/tensor_uses.h"
#include "emu/run/undef/memory.h"

/* The arrival releases what the thread did, and, after it, what the commit completes. */
static void signal_mbarrier(const MbarrierUse *use) {
  uint64_t offset[LANES];
  const uint64_t location = sync_location(use->owner, use->offset);
  const OrderAccess signal = {use->insn, 1u << use->lane, location, SCOPE_CLUSTER, true, true,
                              false};
  offset[use->lane] = use->offset;
  race_access_of(use->owner, use->warp, use->insn, RACE_ATOMIC, 1u << use->lane, offset,
                 MBARRIER_BYTES, NULL);
  order_publish(use->warp, &signal);
  order_copy_publish(use->warp->block, location);
  mbarrier_arrive(use, 1, false, true);
}

static void signal_all(Warp *w, const Insn *insn, unsigned lane, Block *owner, uint32_t offset) {
  const Cluster *cluster = w->block->cluster;
  const uint32_t mask =
      insn->n_s ? (uint32_t)warp_reg(w, insn->s[0])[lane] & 0xffff : 1u << owner->rank;
  for (int i = 0; i < cluster->blocks; i++) {
    const MbarrierUse use = {w, insn, lane, cluster->block[i], offset};
    if (mask >> i & 1) signal_mbarrier(&use);
  }
}

static Flow exec_commit(Warp *w, const Insn *insn, uint32_t active) {
  uint64_t address[LANES];
  Resolved access;
  access_addresses(w, &insn->memory, address);
  access_resolve(w, insn, EMU_MBARRIER, insn->memory.space, MBARRIER_BYTES, active, address,
                 &access);
  undef_demand(w, insn, &access, MBARRIER_BYTES, "is used as a barrier");
  FOR_LANES(lane, access.shared | access.remote) {
    tensor_commit(w, lane, insn);
    signal_all(w, insn, lane, block_owner(w->block, &access, lane), (uint32_t)access.offset[lane]);
  }
  w->changed = true;
  return FLOW_NEXT;
}

/* [mbarrier] {, mask of blocks} */
void tcgen05_decode_commit(Decoder *d) {
  MemoryOp *op = &d->insn->memory;
  tcgen05_take_group(d);
  if (!decode_take(d, "mbarrier::arrive::one"))
    decode_fail(d, "this completion mechanism is not supported");
  const bool multicast = decode_take(d, "multicast::cluster");
  decode_take(d, "b64");
  op->space = (uint8_t)decode_space(d);
  if (!decode_count(d, 1 + multicast, 1 + multicast)) return;
  decode_address(d, decode_operand(d, 0), op);
  if (multicast) decode_sources(d, 1, 1, ARITH_U32);
  op->bytes = MBARRIER_BYTES;
  op->elements = 1;
  op->scope = SCOPE_CLUSTER;
  op->strong = op->acquire = op->release = true;
  d->program->uses_fence = true;
  decode_site(d, INSN_MBARRIER);
  d->insn->fn = exec_commit;
}
