/* SPDX-License-Identifier: MIT */
/* tcgen05: decoding, and the instructions about tensor memory and order. */
#include "emu/op/op_tcgen05.h"

#include <string.h>

#include "emu/op/tcgen05.h"
#include "emu/op/tcgen05_commit.h"
#include "emu/op/tcgen05_copy.h"
#include "emu/op/tcgen05_mma.h"
#include "emu/op/tcgen05_transfer.h"
#include "emu/run/race/order.h"
#include "emu/run/race/shared.h"
#include "emu/run/race/tensor_uses.h"
#include "emu/run/sched/converge.h"
#include "emu/run/state/finding.h"

/* --- alloc, dealloc, relinquish_alloc_permit --- */

static uint32_t columns_of(const Warp *w, const Insn *insn) {
  return (uint32_t)warp_reg(w, insn->memory.tcgen05->columns)[0];
}

/* Stores the address of an allocation, as an ordinary store of one thread does that the other
 * threads of the warp wait for. */
static void store_address(Warp *w, const Insn *insn, uint32_t address) {
  enum { BYTES = 4 };
  Block *block = w->block;
  const uint64_t at = warp_reg(w, insn->memory.base)[0] + (uint64_t)insn->memory.offset;
  const uint64_t offset[LANES] = {at % WINDOW_BASE(1)};
  const uint8_t *const value[LANES] = {(const uint8_t *)&address};
  if (offset[0] + BYTES > block->shared_bytes || offset[0] % BYTES) {
    finding_report(w, insn, offset[0] % BYTES ? EMU_MISALIGNED : EMU_OUT_OF_BOUNDS, 0,
                   "stores the address of tensor memory at shared address 0x%llx",
                   (unsigned long long)offset[0]);
    return;
  }
  race_access(w, insn, RACE_WRITE, 1, offset, BYTES, value);
  memcpy(block->shared + offset[0], &address, BYTES);
  memset(block->undefined + offset[0], 0, BYTES);
  order_lanes(w, ALL_LANES);
}

static Flow exec_alloc(Warp *w, const Insn *insn, uint32_t active) {
  uint32_t address;
  if (!warp_converge(w, insn, ALL_LANES, &active)) return FLOW_WAIT;
  tmem_check_group(w, insn, insn->memory.tcgen05->group);
  if (!tmem_alloc(w, insn, columns_of(w, insn), &address)) return FLOW_WAIT;
  store_address(w, insn, address);
  w->changed = true;
  return FLOW_NEXT;
}

static Flow exec_dealloc(Warp *w, const Insn *insn, uint32_t active) {
  if (!warp_converge(w, insn, ALL_LANES, &active)) return FLOW_WAIT;
  tmem_check_group(w, insn, insn->memory.tcgen05->group);
  tmem_dealloc(w, insn, tcgen05_address(w, insn->memory.tcgen05->at, 0), columns_of(w, insn));
  return FLOW_NEXT;
}

static Flow exec_relinquish(Warp *w, const Insn *insn, uint32_t active) {
  if (!warp_converge(w, insn, ALL_LANES, &active)) return FLOW_WAIT;
  tmem_check_group(w, insn, insn->memory.tcgen05->group);
  tmem_relinquish(w, insn);
  return FLOW_NEXT;
}

/* --- wait, fence --- */

static Flow exec_wait(Warp *w, const Insn *insn, uint32_t active) {
  if (!warp_converge(w, insn, ALL_LANES, &active)) return FLOW_WAIT;
  tensor_wait(w, (TensorCompletion)insn->value);
  return FLOW_NEXT;
}

static Flow exec_fence_before(Warp *w, const Insn *insn, uint32_t active) {
  (void)insn, (void)active;
  tensor_fence_before(w);
  return FLOW_NEXT;
}

static Flow exec_fence_after(Warp *w, const Insn *insn, uint32_t active) {
  (void)insn, (void)active;
  tensor_fence_after(w);
  return FLOW_NEXT;
}

/* --- decoding --- */

/* tcgen05 exists on sm_100a and sm_103a, on their families' targets, and on sm_110's [PTX ISA]. */
static bool need_target(Decoder *d) {
  static const char *const targets[] = {"sm_100a", "sm_100f", "sm_101a", "sm_101f",
                                        "sm_103a", "sm_103f", "sm_110a", "sm_110f"};
  const char *target = d->ast->target;
  for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
    if (strcmp(target, targets[i]) == 0) return true;
  decode_fail(d, "exists on sm_100a, sm_103a and sm_110a alone, and this is PTX for %.20s",
              *target ? target : "no target");
  return false;
}

static void need_aligned(Decoder *d) {
  const bool named = decode_take(d, "sync") && decode_take(d, "aligned");
  if (!named) decode_fail(d, "only the .sync.aligned form exists");
}

static void finish(Decoder *d, Tcgen05Op *op, ExecFn fn) {
  d->insn->kind = INSN_TENSOR;
  d->insn->memory.tcgen05 = op;
  d->insn->fn = fn;
}

/* [to], columns */
static void decode_alloc(Decoder *d, Tcgen05Op *op) {
  decode_take_all(d, (const char *const[]){"shared::cta", "b32", NULL});
  if (!decode_count(d, 2, 2)) return;
  d->insn->memory.space = EMU_SHARED;
  decode_address(d, decode_operand(d, 0), &d->insn->memory);
  op->columns = decode_source(d, decode_operand(d, 1), ARITH_U32);
  finish(d, op, exec_alloc);
}

/* address, columns */
static void decode_dealloc(Decoder *d, Tcgen05Op *op) {
  decode_take(d, "b32");
  if (!decode_count(d, 2, 2)) return;
  op->at.base = decode_source(d, decode_operand(d, 0), ARITH_U32);
  op->columns = decode_source(d, decode_operand(d, 1), ARITH_U32);
  finish(d, op, exec_dealloc);
}

static void decode_permit(Decoder *d) {
  static const char *const names[] = {"alloc", "dealloc", "relinquish_alloc_permit", NULL};
  const int which = decode_take_one(d, names);
  Tcgen05Op *op = ARENA_NEW(d->arena, Tcgen05Op);
  op->group = tcgen05_take_group(d);
  need_aligned(d);
  if (which == 0)
    decode_alloc(d, op);
  else if (which == 1)
    decode_dealloc(d, op);
  else if (decode_count(d, 0, 0))
    finish(d, op, exec_relinquish);
}

/* An order of tcgen05 instructions without operands; true if it was one. */
static bool decode_order(Decoder *d) {
  static const char *const names[] = {"wait::ld", "wait::st", "fence::before_thread_sync",
                                      "fence::after_thread_sync", NULL};
  static const ExecFn fn[] = {exec_wait, exec_wait, exec_fence_before, exec_fence_after};
  const int which = decode_take_one(d, names);
  if (which < 0) return false;
  if (which < 2) need_aligned(d);
  if (!decode_count(d, 0, 0)) return true;
  d->program->uses_fence = true;
  d->insn->kind = INSN_VALUE;
  d->insn->value = which == 0 ? TENSOR_BY_WAIT_LD : TENSOR_BY_WAIT_ST;
  d->insn->fn = fn[which];
  return true;
}

void decode_tcgen05(Decoder *d) {
  static const char *const permits[] = {"alloc", "dealloc", "relinquish_alloc_permit"};
  if (!need_target(d) || decode_order(d)) return;
  for (size_t i = 0; d->modifiers > 1 && i < sizeof permits / sizeof *permits; i++) {
    if (strcmp(d->modifier[1], permits[i]) != 0) continue;
    decode_permit(d);
    return;
  }
  if (decode_take(d, "ld"))
    tcgen05_decode_transfer(d, false);
  else if (decode_take(d, "st"))
    tcgen05_decode_transfer(d, true);
  else if (decode_take(d, "mma"))
    tcgen05_decode_mma(d);
  else if (decode_take(d, "commit"))
    tcgen05_decode_commit(d);
  else if (decode_take(d, "cp"))
    tcgen05_decode_copy(d);
  else if (decode_take(d, "shift"))
    tcgen05_decode_shift(d);
  else
    decode_fail(d, "is not supported");
}
