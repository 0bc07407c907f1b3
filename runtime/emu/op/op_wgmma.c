/* SPDX-License-Identifier: MIT */
/*
 * wgmma and setmaxnreg. A product is executed at once when the last of the four warps arrives;
 * accesses to its operands before it has been waited for are reported: inflight.h, warpgroup.h.
 * Descriptors and layouts are those of the PTX ISA, "Asynchronous warpgroup level matrix shared
 * memory layout", and were measured on an H200.
 */
#include "emu/op/op_wgmma.h"

#include <string.h>

#include "emu/op/wgmma_undef.h"
#include "emu/run/race/inflight.h"
#include "emu/run/race/warpgroup.h"
#include "emu/run/sched/converge.h"
#include "emu/run/sched/register_pool.h"

/* --- execution --- */

/* All four warps issue the product; false when out of memory. */
static bool issue(const WgmmaGroup *g) {
  bool room = warpgroup_issue(g->warp[0], g->insn);
  for (unsigned i = 0; i < WGMMA_WARPS; i++) {
    room = inflight_issue(g->warp[i], g->split[i], g->insn) && room;
    g->warp[i]->changed = true;
  }
  return room;
}

static void execute(const WgmmaGroup *g) {
  WgmmaOperands x;
  WgmmaAccumulators d;
  wgmma_find_accumulators(g, d);
  wgmma_read_operands(g, &x);
  if (!g->block->unchecked) wgmma_note_undefined(g, &x, d);
  wgmma_multiply(g, &x.tiles, d);
}

static Flow out_of_memory(const Warp *w) {
  atomic_store(&w->block->launch->out_of_memory, true);
  block_stop(w->block);
  return FLOW_WAIT;
}

static Flow exec_wgmma(Warp *w, const Insn *insn, uint32_t active) {
  if (!warp_converge(w, insn, ALL_LANES, &active)) return FLOW_WAIT;
  if (!warpgroup_meet(w, insn)) return FLOW_WAIT;
  const WgmmaGroup g = wgmma_group(w, insn);
  if (!issue(&g)) return out_of_memory(w);
  execute(&g);
  warpgroup_go_on(w);
  return FLOW_JUMP;
}

static Flow exec_fence(Warp *w, const Insn *insn, uint32_t active) {
  if (!warp_converge(w, insn, ALL_LANES, &active)) return FLOW_WAIT;
  return inflight_fence(w) ? FLOW_NEXT : out_of_memory(w);
}

static Flow exec_commit(Warp *w, const Insn *insn, uint32_t active) {
  if (!warp_converge(w, insn, ALL_LANES, &active)) return FLOW_WAIT;
  return inflight_commit(w) ? FLOW_NEXT : out_of_memory(w);
}

static Flow exec_wait(Warp *w, const Insn *insn, uint32_t active) {
  if (!warp_converge(w, insn, ALL_LANES, &active)) return FLOW_WAIT;
  if (!inflight_wait(w, (uint32_t)insn->value)) return out_of_memory(w);
  warpgroup_waited(w);
  return FLOW_NEXT;
}

static Flow exec_raise(Warp *w, const Insn *insn, uint32_t active) {
  if (!warp_converge(w, insn, ALL_LANES, &active)) return FLOW_WAIT;
  if (!w->registers || register_pool_raise(w, insn, (uint32_t)insn->value)) return FLOW_NEXT;
  return FLOW_WAIT;
}

static Flow exec_lower(Warp *w, const Insn *insn, uint32_t active) {
  if (!warp_converge(w, insn, ALL_LANES, &active)) return FLOW_WAIT;
  if (w->registers) register_pool_lower(w, insn, (uint32_t)insn->value);
  return FLOW_NEXT;
}

/* --- decoding --- */

/* The instructions of sm_90a exist on no other architecture, newer ones included. */
static bool need_target(Decoder *d) {
  const char *target = d->ast->target;
  if (strcmp(target, "sm_90a") == 0) return true;
  decode_fail(d, "exists on sm_90a alone, and this is PTX for %.20s",
              *target ? target : "no target");
  return false;
}

/* setmaxnreg exists on sm_90a and on what of later architectures is theirs or their family's alone,
 * as sm_120a and sm_120f [ptxas]. */
static void need_special_target(Decoder *d) {
  const char *target = d->ast->target;
  const char last = *target ? target[strlen(target) - 1] : ' ';
  if (last != 'a' && last != 'f')
    decode_fail(d, "exists on sm_90a, sm_100a and the like alone, and this is PTX for %.20s",
                *target ? target : "no target");
}

static int64_t decode_immediate(Decoder *d, int index) {
  const Operand *operand = decode_operand(d, index);
  if (operand->kind != OPERAND_INT) decode_fail(d, "operand %d is not a constant", index + 1);
  return (int64_t)operand->value;
}

/* imm-scale-a and imm-scale-b: true if the product is negated. */
static bool decode_signs(Decoder *d, int at) {
  const int64_t a = decode_immediate(d, at), b = decode_immediate(d, at + 1);
  if ((a != 1 && a != -1) || (b != 1 && b != -1))
    decode_fail(d, "imm-scale-a and imm-scale-b are 1 or -1");
  return a != b;
}

static bool decode_transposed(Decoder *d, int at) {
  const int64_t value = decode_immediate(d, at);
  if (value != 0 && value != 1) decode_fail(d, "imm-trans-a and imm-trans-b are 0 or 1");
  return value == 1;
}

/* d, a or its descriptor, b's descriptor, scale-d {, imm-scale-a, imm-scale-b {{, imm-trans-a},
 * imm-trans-b}} */
static void decode_modes(Decoder *d, WgmmaOp *op) {
  const ArithWgmma *arith = &op->arith;
  const int transposes = !arith->may_transpose ? 0 : op->a_in_registers ? 1 : 2;
  const int count = 4 + (arith->is_float ? 2 : 0) + transposes;
  if (!decode_count(d, count, count)) return;
  d->insn->p_in = decode_pred(d, decode_operand(d, 3));
  if (arith->is_float) op->negative = decode_signs(d, 4);
  if (transposes == 2) op->a_by_column = decode_transposed(d, 6);
  if (transposes) op->b_by_row = decode_transposed(d, count - 1);
}

static void decode_operands(Decoder *d, WgmmaOp *op) {
  Insn *insn = d->insn;
  const Operand *a = decode_operand(d, 1);
  op->a_in_registers = a->kind == OPERAND_VECTOR;
  insn->n_d = op->arith.n_d;
  insn->n_s = (uint8_t)(op->a_in_registers ? WGMMA_A_REGISTERS + 1 : 2);
  Ref *to = decode_refs(d, insn->n_d), *from = decode_refs(d, insn->n_s);
  decode_fragment(d, decode_operand(d, 0), insn->n_d, true, to);
  if (op->a_in_registers)
    decode_fragment(d, a, WGMMA_A_REGISTERS, false, from);
  else
    from[0] = decode_source(d, a, ARITH_B64);
  from[insn->n_s - 1] = decode_source(d, decode_operand(d, 2), ARITH_B64);
  insn->d = to;
  insn->s = from;
  insn->memory.base = from[insn->n_s - 1];
}

static void decode_product(Decoder *d) {
  Insn *insn = d->insn;
  WgmmaOp *op = ARENA_NEW(d->arena, WgmmaOp);
  if (arith_resolve_wgmma(d->statement->opcode, &op->arith) != ARITH_OK)
    decode_fail(d, "this shape or type is not supported");
  d->taken = UINT32_MAX;
  if (d->failed || !decode_count(d, 4, 8)) return;
  decode_operands(d, op);
  decode_modes(d, op);
  insn->memory.space = EMU_SHARED;
  insn->memory.wgmma = op;
  decode_site(d, INSN_WGMMA);
  insn->fn = exec_wgmma;
}

/* Decodes .sync.aligned, and the only operand of wait_group. */
static void decode_order(Decoder *d, ExecFn fn, int operands) {
  const bool named = decode_take(d, "sync") && decode_take(d, "aligned");
  if (!named) decode_fail(d, "only the .sync.aligned form exists");
  if (!decode_count(d, operands, operands)) return;
  d->insn->kind = INSN_VALUE;
  d->insn->value = operands ? (uint64_t)decode_immediate(d, 0) : 0;
  d->insn->fn = fn;
}

void decode_wgmma(Decoder *d) {
  if (!need_target(d)) return;
  if (decode_take(d, "fence"))
    decode_order(d, exec_fence, 0);
  else if (decode_take(d, "commit_group"))
    decode_order(d, exec_commit, 0);
  else if (decode_take(d, "wait_group"))
    decode_order(d, exec_wait, 1);
  else if (decode_take(d, "sp"))
    decode_fail(d, "sparse matrices are not supported");
  else
    decode_product(d);
}

void decode_setmaxnreg(Decoder *d) {
  enum { STEP = 8, LEAST = 24, MOST = 256 };
  need_special_target(d);
  const bool more = decode_choice(d, 0) == 0;
  if (!decode_count(d, 1, 1)) return;
  const int64_t count = decode_immediate(d, 0);
  if (count % STEP || count < LEAST || count > MOST)
    decode_fail(d, "the number of registers is a multiple of 8 from 24 to 256");
  uint32_t *raised = &d->program->raised;
  if (more && *raised < (uint32_t)count) *raised = (uint32_t)count;
  d->insn->kind = INSN_VALUE;
  d->insn->value = (uint64_t)count;
  d->insn->fn = more ? exec_raise : exec_lower;
}
