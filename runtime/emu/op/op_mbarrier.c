/* SPDX-License-Identifier: MIT */
/* mbarrier, and cp.async.mbarrier.arrive. */
#include "emu/op/op_mbarrier.h"

#include <string.h>

#include "emu/run/access/memory.h"
#include "emu/run/async/flight.h"
#include "emu/run/async/mbarrier.h"
#include "emu/run/copy/cp_async.h"
#include "emu/run/race/shared.h"
#include "emu/run/race/sync.h"
#include "emu/run/state/sync_log.h"
#include "emu/run/undef/memory.h"

typedef enum {
  MBARRIER_INIT,
  MBARRIER_INVAL,
  MBARRIER_ARRIVE,
  MBARRIER_EXPECT_TX,
  MBARRIER_COMPLETE_TX,
  MBARRIER_ARRIVE_EXPECT_TX,
  MBARRIER_TEST_WAIT,
  MBARRIER_TEST_PARITY,
  MBARRIER_ASYNC_ARRIVE,    /* cp.async.mbarrier.arrive.noinc */
  MBARRIER_ASYNC_ARRIVE_INC /* without .noinc it adds the arrival that it counts: no change */
} MbarrierOp;

/* Whether the phase of a token, or that of its parity alone, has completed by the object's bits. */
static bool phase_done(const Insn *insn, uint64_t bits, uint64_t token) {
  uint64_t phase =
      insn->memory.mbarrier.op == MBARRIER_TEST_PARITY ? token & 1 : token >> MBARRIER_PHASE_SHIFT;
  return bits >> MBARRIER_PHASE_SHIFT != phase;
}

static bool is_async(const Insn *insn) {
  return insn->memory.mbarrier.op == MBARRIER_ASYNC_ARRIVE ||
         insn->memory.mbarrier.op == MBARRIER_ASYNC_ARRIVE_INC;
}

/* init and inval: to the race detector an ordinary write, since nobody may use the object
 * meanwhile. */
static bool is_plain(const Insn *insn) {
  return insn->memory.mbarrier.op == MBARRIER_INIT || insn->memory.mbarrier.op == MBARRIER_INVAL;
}

static bool is_test(const Insn *insn) {
  return insn->memory.mbarrier.op == MBARRIER_TEST_WAIT ||
         insn->memory.mbarrier.op == MBARRIER_TEST_PARITY;
}

static void apply(const MbarrierUse *use, uint32_t n) {
  const MemoryOp *op = &use->insn->memory;
  switch ((MbarrierOp)op->mbarrier.op) {
  case MBARRIER_INIT: mbarrier_init(use, n); break;
  case MBARRIER_INVAL: mbarrier_invalidate(use); break;
  case MBARRIER_ARRIVE_EXPECT_TX:
    mbarrier_expect(use, n);
    mbarrier_arrive(use, 1, op->mbarrier.drop, true);
    break;
  case MBARRIER_ARRIVE: mbarrier_arrive(use, n, op->mbarrier.drop, !op->mbarrier.incomplete); break;
  case MBARRIER_ASYNC_ARRIVE: mbarrier_arrive(use, 1, false, true); break;
  case MBARRIER_EXPECT_TX: mbarrier_expect(use, n); break;
  case MBARRIER_COMPLETE_TX:
    sync_log_refuse(use->warp, use->insn, "mbarrier.complete_tx");
    mbarrier_complete(use, n, 0);
    break;
  default: break;
  }
}

/* Copies that signal the object land when a test finds its phase incomplete, and no earlier, so
 * that data that no thread waits for is not there when it is read. That test still fails; the next
 * one succeeds. */
static bool test(const MbarrierUse *use, uint64_t token) {
  const bool by_parity = use->insn->memory.mbarrier.op == MBARRIER_TEST_PARITY;
  if (phase_done(use->insn, mbarrier_bits(use->owner, use->offset), token)) {
    mbarrier_note_pass(use);
    sync_log_add(use->warp, use->insn, by_parity ? SYNC_WAIT : SYNC_TOKEN, 1u << use->lane,
                 use->offset, by_parity ? token & 1 : 0);
    return true;
  }
  use->warp->changed |= flight_land(use);
  use->warp->yields = true;
  mbarrier_note_wait(use);
  sync_log_fail(use->warp, use->insn, use->lane);
  return false;
}

/* Executes the lanes one by one; returns those that tested a phase which has completed. */
static uint32_t update_lanes(Warp *w, const Insn *insn, const Resolved *access) {
  const uint64_t *n = insn->n_s ? warp_reg(w, insn->s[0]) : NULL;
  uint64_t *d = insn->n_d ? warp_reg(w, insn->d[0]) : NULL;
  uint32_t done = 0;
  FOR_LANES(lane, access->shared | access->remote) {
    const MbarrierUse use = {w, insn, lane, block_owner(w->block, access, lane),
                             (uint32_t)access->offset[lane]};
    const uint64_t bits = mbarrier_bits(use.owner, use.offset);
    if (is_test(insn))
      done |= (test(&use, n[lane]) ? 1u : 0) << lane;
    else
      apply(&use, n ? (uint32_t)n[lane] : 1);
    if (d) d[lane] = bits;
  }
  return done;
}

static void mark_initialised(Warp *w, const Resolved *access) {
  FOR_LANES(lane, access->shared)
    memset(w->block->undefined + access->offset[lane], 0, MBARRIER_BYTES);
}

static Flow exec_mbarrier(Warp *w, const Insn *insn, uint32_t active) {
  uint64_t address[LANES];
  Resolved access;
  if (is_async(insn)) async_perform_all(w, active);
  w->waits.insn = NULL;
  access_addresses(w, &insn->memory, address);
  access_resolve(w, insn, EMU_MBARRIER, insn->memory.space, MBARRIER_BYTES, active, address,
                 &access);
  if (insn->memory.mbarrier.op == MBARRIER_INIT) mark_initialised(w, &access);
  undef_demand(w, insn, &access, MBARRIER_BYTES, "is used as a barrier");
  if (is_plain(insn))
    race_access(w, insn, RACE_WRITE, access.shared, access.offset, MBARRIER_BYTES, NULL);
  else
    access_atomic(w, insn, &access, MBARRIER_BYTES);
  if (!is_test(insn) && !is_plain(insn)) sync_store(w, insn, &access);
  const uint32_t done = update_lanes(w, insn, &access);
  warp_set_pred(w, insn->p_out[0], done, active);
  w->polled |= is_test(insn);
  w->changed |= !is_test(insn);
  access.valid &= done;
  if (is_test(insn)) sync_load(w, insn, &access);
  return FLOW_NEXT;
}

/* --- decoding --- */

/* The state that arrive returns, unless it is `_`. */
static void decode_state(Decoder *d) {
  if (decode_operand(d, 0)->kind != OPERAND_SINK) decode_result(d);
}

static int take_op(Decoder *d) {
  if (decode_take(d, "init")) return MBARRIER_INIT;
  if (decode_take(d, "inval")) return MBARRIER_INVAL;
  MemoryOp *op = &d->insn->memory;
  op->mbarrier.drop = decode_take(d, "arrive_drop");
  if (op->mbarrier.drop || decode_take(d, "arrive")) {
    op->mbarrier.incomplete = decode_take(d, "noComplete");
    if (strcmp(d->modifier[0], "cp") == 0)
      return decode_take(d, "noinc") ? MBARRIER_ASYNC_ARRIVE : MBARRIER_ASYNC_ARRIVE_INC;
    return decode_take(d, "expect_tx") ? MBARRIER_ARRIVE_EXPECT_TX : MBARRIER_ARRIVE;
  }
  if (decode_take(d, "expect_tx")) return MBARRIER_EXPECT_TX;
  if (decode_take(d, "complete_tx")) return MBARRIER_COMPLETE_TX;
  return decode_take(d, "parity") ? MBARRIER_TEST_PARITY : MBARRIER_TEST_WAIT;
}

/* Decodes .release.cta and the state space. What is not .relaxed releases or acquires. An
 * absent scope is .cta [PTX ISA], but reaches the cluster here: published code counts on it. */
static void take_attributes(Decoder *d) {
  MemoryOp *op = &d->insn->memory;
  const bool relaxed = decode_take(d, "relaxed");
  op->scope = (uint8_t)decode_take_scope(d, SCOPE_CLUSTER);
  op->space = (uint8_t)decode_space(d);
  op->bytes = MBARRIER_BYTES;
  op->elements = 1;
  op->strong = !is_plain(d->insn);
  op->mbarrier.of_warp = op->mbarrier.op == MBARRIER_INVAL;
  op->acquire = op->release = op->strong && !relaxed;
  d->program->uses_fence = true;
}

static bool needs_count(const Insn *insn) {
  return is_test(insn) || insn->memory.mbarrier.op == MBARRIER_INIT ||
         insn->memory.mbarrier.op == MBARRIER_EXPECT_TX ||
         insn->memory.mbarrier.op == MBARRIER_COMPLETE_TX ||
         insn->memory.mbarrier.op == MBARRIER_ARRIVE_EXPECT_TX;
}

static Flow exec_pending_count(Warp *w, const Insn *insn, uint32_t active) {
  const uint64_t *state = warp_reg(w, insn->s[0]);
  uint64_t *d = warp_reg(w, insn->d[0]);
  FOR_LANES(lane, active) d[lane] = mbarrier_pending(state[lane]);
  return FLOW_NEXT;
}

static void decode_pending_count(Decoder *d) {
  if (!decode_count(d, 2, 2)) return;
  decode_result(d);
  decode_sources(d, 1, 1, ARITH_B64);
  d->insn->fn = exec_pending_count;
}

/* {state or predicate,} [object] {, count, state or parity} {, time limit} */
void decode_mbarrier(Decoder *d) {
  Insn *insn = d->insn;
  if (decode_take(d, "pending_count")) {
    decode_pending_count(d);
    return;
  }
  insn->memory.mbarrier.op = (uint8_t)take_op(d);
  take_attributes(d);
  int at = decode_operand(d, 0)->kind == OPERAND_MEMORY ? 0 : 1;
  if (is_test(insn))
    insn->p_out[0] = decode_pred_dest(d, decode_operand(d, 0));
  else if (at)
    decode_state(d);
  decode_address(d, decode_operand(d, at), &insn->memory);
  bool counted = d->statement->operands > at + 1;
  if (counted)
    decode_sources(d, at + 1, 1, is_test(insn) ? ARITH_B64 : ARITH_U32);
  else if (needs_count(insn))
    decode_fail(d, "an operand is missing");
  decode_site(d, INSN_MBARRIER);
  insn->fn = exec_mbarrier;
}
