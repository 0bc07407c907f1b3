/* SPDX-License-Identifier: MIT */
/* bar and barrier: of the block, of the cluster; those of a warp are in op_warp.c. */
#include "emu/op/op_barrier.h"

#include <string.h>

#include "emu/run/race/order.h"
#include "emu/run/sched/barrier.h"
#include "emu/run/sched/cluster.h"
#include "emu/run/sched/warp.h"
#include "emu/run/state/finding.h"
#include "emu/run/state/sync_log.h"

/* With a count, a warp counts as 32 threads, even if it is the block's last one and not full [PTX
 * ISA, barrier: counts are multiples of the warp size]. */
static void arrive(Warp *w, const Insn *insn, Barrier *barrier, uint32_t active,
                   uint32_t expected) {
  uint32_t bit = 1u << w->index;
  barrier->expected = expected;
  barrier->threads += lane_count(active);
  barrier->in_warps += active == w->alive ? LANES : lane_count(active);
  barrier->votes += lane_count(active);
  barrier->yes += lane_count(warp_pred(w, insn->p_in) & active);
  if (insn->barrier.mode == BARRIER_ARRIVE)
    barrier->arrivals |= bit;
  else
    barrier->syncs |= bit;
}

static Flow exec_barrier(Warp *w, const Insn *insn, uint32_t active) {
  Split *split = w->now;
  unsigned lane = lane_first(active);
  const uint32_t number = (uint32_t)warp_reg(w, insn->s[0])[lane];
  if (number >= BARRIERS)
    return finding_end(w, insn, EMU_OUT_OF_BOUNDS, 1u << lane, "barrier %u: there are %d", number,
                       BARRIERS);
  if (active != split->mask) {
    warp_diverge(w, active, split->pc, split->pc + 1, -1);
    return FLOW_GONE;
  }
  uint32_t expected = insn->n_s > 1 ? (uint32_t)warp_reg(w, insn->s[1])[lane] : 0;
  w->block->barriers_open |= 1u << number;
  if (active != w->alive) sync_log_refuse(w, insn, "lanes of a warp reach a barrier apart");
  sync_log_add(w, insn, insn->barrier.mode == BARRIER_ARRIVE ? SYNC_BARRIER_ARRIVE : SYNC_BARRIER,
               active, number, expected);
  arrive(w, insn, &w->block->barrier[number], active, expected);
  if (insn->barrier.mode == BARRIER_ARRIVE) {
    order_arrive(w, active, (int)number);
    barrier_update(w->block, (int)number);
    return FLOW_NEXT;
  }
  w->meets = true;
  split->state = SPLIT_BARRIER;
  split->barrier = (int)number;
  split->waiting = active;
  split->insn = insn;
  barrier_update(w->block, (int)number);
  return FLOW_WAIT;
}

/* --- of the cluster --- */

/* A value of 1 stands for .relaxed, which releases only what an earlier fence does. */
static Flow exec_cluster_arrive(Warp *w, const Insn *insn, uint32_t active) {
  const OrderAccess arrival = {insn, active, CLUSTER_LOCATION, SCOPE_CLUSTER, !insn->value,
                               true, false};
  order_publish(w, &arrival);
  cluster_arrive(w, insn, active);
  return FLOW_NEXT;
}

static Flow exec_cluster_wait(Warp *w, const Insn *insn, uint32_t active) {
  if (active != w->now->mask) {
    warp_diverge(w, active, w->now->pc, w->now->pc + 1, -1);
    return FLOW_GONE;
  }
  if (!cluster_wait(w, insn, active)) return FLOW_WAIT;
  const OrderAccess wait = {insn, active, CLUSTER_LOCATION, SCOPE_CLUSTER, true, false, false};
  order_observe(w, &wait);
  return FLOW_NEXT;
}

void decode_cluster_barrier(Decoder *d) {
  const bool arrive = decode_take(d, "arrive"), relaxed = decode_take(d, "relaxed");
  if (!decode_count(d, 0, 0)) return;
  d->program->uses_fence = true;
  d->insn->kind = INSN_VALUE;
  d->insn->value = relaxed;
  d->insn->fn = arrive ? exec_cluster_arrive : exec_cluster_wait;
}

/* .popc, .and or .or: the result comes first, the predicate last. */
static void decode_reduction(Decoder *d) {
  static const char *const ops[] = {"popc", "and", "or", NULL};
  const int op = decode_take_one(d, ops);
  d->insn->barrier.mode = (uint8_t)(BARRIER_POPC + op);
  if (!decode_count(d, 3, 4)) return;
  if (op == 0) {
    decode_result(d);
  } else {
    d->insn->p_out[0] = decode_pred_dest(d, decode_operand(d, 0));
  }
  d->insn->p_in = decode_pred(d, decode_operand(d, d->statement->operands - 1));
}

/* The barrier's number, and the count of threads, without which all are waited for; only those that
 * arrive must have one. */
static void decode_numbers(Decoder *d, int first, int last) {
  Insn *insn = d->insn;
  const int least = insn->barrier.mode == BARRIER_ARRIVE ? 2 : 1;
  if (last - first < least || last - first > 2) decode_fail(d, "wrong number of operands");
  if (d->failed) return;
  decode_sources(d, first, last - first, ARITH_U32);
  insn->kind = INSN_BARRIER;
  insn->barrier.of_block = insn->n_s == 1;
  insn->fn = exec_barrier;
}

/* bar.sync a {, b}; bar.arrive a, b; bar.red d, a {, b}, p */
void decode_barrier(Decoder *d) {
  int first = 0, last = d->statement->operands;
  const bool old = strcmp(d->modifier[0], "bar") == 0;
  d->insn->barrier.aligned = decode_take(d, "aligned") || old;
  if (decode_take(d, "red")) {
    decode_reduction(d);
    first = 1, last--;
  } else if (decode_take(d, "arrive")) {
    d->insn->barrier.mode = BARRIER_ARRIVE;
  }
  decode_numbers(d, first, last);
}
