/* SPDX-License-Identifier: MIT */
/* clusterlaunchcontrol. The response has the index of the first block in three words, and whether a
 * cluster was canceled in the fourth. A request succeeds as long as clusters are left. */
#include "emu/op/op_clc.h"

#include <stdlib.h>
#include <string.h>

#include "emu/run/access/memory.h"
#include "emu/run/async/flight.h"
#include "emu/run/sched/worker.h"
#include "emu/run/state/finding.h"

enum { BYTES = 16, WORDS = BYTES / 4, CANCELED = 3, HALVES = 2 };

/* --- try_cancel --- */

static void respond(const Launch *launch, uint64_t cluster, uint32_t word[WORDS]) {
  memset(word, 0, BYTES);
  if (cluster == NO_BLOCK) return;
  block_index(launch, cluster * (uint64_t)launch->cluster_blocks, word);
  word[CANCELED] = 1;
}

/* The address in the own block's shared memory of an operand. */
static uint32_t address_of(const Warp *w, const MemoryOp *op, unsigned lane) {
  uint64_t address[LANES];
  access_addresses(w, op, address);
  return (uint32_t)(address[lane] % WINDOW_BASE(1));
}

static bool is_within(Warp *w, const Insn *insn, unsigned lane, uint32_t at, uint32_t bytes) {
  const uint32_t end = w->block->shared_bytes;
  if (at % bytes == 0 && at < end && end - at >= bytes) return true;
  finding_report(w, insn, at % bytes ? EMU_MISALIGNED : EMU_OUT_OF_BOUNDS, lane,
                 "a response of %u bytes, or its mbarrier, at shared address 0x%x, of %u bytes",
                 (unsigned)BYTES, at, end);
  return false;
}

static bool send(Block *to, Warp *w, Flight *f, const uint32_t word[WORDS]) {
  f->data = malloc(BYTES);
  if (!f->data) return false;
  memcpy(f->data, word, BYTES);
  return flight_into(to, w, f);
}

static Flow exec_try_cancel(Warp *w, const Insn *insn, uint32_t active) {
  Launch *launch = w->block->launch;
  Cluster *cluster = w->block->cluster;
  const BulkOp *bulk = insn->memory.bulk;
  bool room = true;
  FOR_LANES(lane, active) {
    uint32_t word[WORDS];
    const uint32_t at = address_of(w, &insn->memory, lane);
    Flight f = {.insn = insn, .lane = lane, .box = box_flat(at, BYTES)};
    f.mbarrier = address_of(w, bulk->mbarrier, lane);
    if (!is_within(w, insn, lane, at, BYTES) || !is_within(w, insn, lane, f.mbarrier, 8)) continue;
    respond(launch, worker_cancel(launch), word);
    for (int i = 0; i < cluster->blocks; i++)
      if (bulk->mask || cluster->block[i] == w->block)
        room = send(cluster->block[i], w, &f, word) && room;
  }
  w->changed = true;
  if (room) return FLOW_NEXT;
  atomic_store(&launch->out_of_memory, true);
  block_stop(w->block);
  return FLOW_WAIT;
}

/* [to], [mbarrier] */
static void decode_try_cancel(Decoder *d) {
  static const Ref everywhere = 0;
  BulkOp *bulk = ARENA_NEW(d->arena, BulkOp);
  MemoryOp *mbarrier = ARENA_NEW(d->arena, MemoryOp);
  if (decode_take(d, "multicast::cluster::all")) bulk->mask = &everywhere;
  if (!decode_count(d, 2, 2)) return;
  d->insn->memory.space = mbarrier->space = EMU_SHARED;
  decode_address(d, decode_operand(d, 0), &d->insn->memory);
  decode_address(d, decode_operand(d, 1), mbarrier);
  bulk->mbarrier = mbarrier;
  d->insn->memory.scope = SCOPE_DEVICE;
  d->program->uses_bulk = true;
  decode_site(d, INSN_BULK);
  d->insn->memory.bulk = bulk;
  d->insn->fn = exec_try_cancel;
}

/* --- query_cancel: s are the halves of a response --- */

static uint32_t word_of(const Warp *w, const Insn *insn, unsigned word, unsigned lane) {
  return (uint32_t)(warp_reg(w, insn->s[word / HALVES])[lane] >> word % HALVES * 32);
}

static Flow exec_is_canceled(Warp *w, const Insn *insn, uint32_t active) {
  uint32_t canceled = 0;
  FOR_LANES(lane, active) canceled |= (word_of(w, insn, CANCELED, lane) ? 1u : 0) << lane;
  warp_set_pred(w, insn->p_out[0], canceled, active);
  return FLOW_NEXT;
}

/* value: the first word. */
static Flow exec_first_block(Warp *w, const Insn *insn, uint32_t active) {
  uint32_t word[WORDS][LANES];
  for (unsigned i = 0; i < insn->n_d; i++)
    FOR_LANES(lane, active) word[i][lane] = word_of(w, insn, (unsigned)insn->value + i, lane);
  for (unsigned i = 0; i < insn->n_d; i++)
    FOR_LANES(lane, active) warp_reg(w, insn->d[i])[lane] = word[i][lane];
  return FLOW_NEXT;
}

static void decode_response(Decoder *d) {
  Ref *s = decode_refs(d, HALVES);
  decode_fragment(d, decode_operand(d, 1), HALVES, false, s);
  d->insn->s = s;
  d->insn->n_s = HALVES;
  d->insn->kind = INSN_VALUE;
}

static void decode_first_block(Decoder *d) {
  static const char *const names[] = {"get_first_ctaid::x", "get_first_ctaid::y",
                                      "get_first_ctaid::z", "get_first_ctaid", NULL};
  const int which = decode_take_one(d, names), count = which == WORDS - 1 ? WORDS : 1;
  if (d->failed || !decode_count(d, 2, 2)) return;
  Ref *r = decode_refs(d, count);
  decode_fragment(d, decode_operand(d, 0), count, true, r);
  decode_response(d);
  d->insn->d = r;
  d->insn->n_d = (uint8_t)count;
  d->insn->value = count == 1 ? (uint64_t)which : 0;
  d->insn->fn = exec_first_block;
}

static void decode_query(Decoder *d) {
  if (!decode_take(d, "is_canceled")) {
    decode_first_block(d);
    return;
  }
  if (!decode_count(d, 2, 2)) return;
  d->insn->p_out[0] = decode_pred_dest(d, decode_operand(d, 0));
  decode_response(d);
  d->insn->fn = exec_is_canceled;
}

void decode_cluster_control(Decoder *d) {
  if (decode_take(d, "try_cancel"))
    decode_try_cancel(d);
  else
    decode_query(d);
}
