/* SPDX-License-Identifier: MIT */
/* alloca, stacksave and stackrestore. The frame of a function that executes them has room for their
 * memory after its variables, and a register counts what is taken: so all is released with the
 * frame. */
#include "emu/op/op_stack.h"

#include "base/number.h"
#include "emu/run/state/finding.h"

enum { STACK_ALIGN = 64, LEAST_ALIGN = 8 };

static const FunctionCode *code_of(const Warp *w) {
  return &w->block->program->function[w->now->frame.function];
}

static uint64_t *taken_of(Warp *w, const FunctionCode *f) {
  return warp_reg(w, ref_make(BANK_FRAME, (unsigned)f->stack_slot));
}

void stack_enter(Warp *w, const FunctionCode *f, uint32_t lanes) {
  if (!f->stack_at) return;
  uint64_t *taken = taken_of(w, f);
  FOR_LANES(lane, lanes) taken[lane] = 0;
}

/* --- execution --- */

/* The addresses are in local memory. */
static Flow exec_alloca(Warp *w, const Insn *insn, uint32_t active) {
  const FunctionCode *f = code_of(w);
  const uint64_t align = insn->move.addend;
  const uint64_t *bytes = warp_reg(w, insn->s[0]);
  uint64_t *taken = taken_of(w, f), *d = warp_reg(w, insn->d[0]);
  FOR_LANES(lane, active) {
    const uint64_t from = number_up_bytes(taken[lane], align), size = bytes[lane];
    if (size > STACK_BYTES || from + size > STACK_BYTES)
      return finding_end(w, insn, EMU_STACK, 1u << lane,
                         "alloca of %llu bytes; a function has %d, of which %llu are taken",
                         (unsigned long long)size, STACK_BYTES, (unsigned long long)from);
    const uint32_t at = w->now->frame.local + f->stack_at + (uint32_t)from;
    taken[lane] = from + size;
    d[lane] = at;
    if (!w->block->unchecked) local_enter(&w->local, 1u << lane, at, (uint32_t)size);
  }
  return FLOW_NEXT;
}

static Flow exec_save(Warp *w, const Insn *insn, uint32_t active) {
  const FunctionCode *f = code_of(w);
  const uint64_t *taken = taken_of(w, f);
  uint64_t *d = warp_reg(w, insn->d[0]);
  FOR_LANES(lane, active) d[lane] = w->now->frame.local + f->stack_at + taken[lane];
  return FLOW_NEXT;
}

static Flow exec_restore(Warp *w, const Insn *insn, uint32_t active) {
  const FunctionCode *f = code_of(w);
  const uint64_t *s = warp_reg(w, insn->s[0]);
  uint64_t *taken = taken_of(w, f);
  FOR_LANES(lane, active) {
    const uint64_t left = s[lane] - w->now->frame.local - f->stack_at;
    if (left > taken[lane])
      return finding_end(w, insn, EMU_STACK, 1u << lane,
                         "stackrestore to local address 0x%llx: stacksave returned no such address",
                         (unsigned long long)s[lane]);
    taken[lane] = left;
  }
  return FLOW_NEXT;
}

/* --- decoding --- */

/* Makes room in the frame, when a function's first such instruction is decoded. */
static void need_stack(Decoder *d) {
  FunctionCode *f = &d->program->function[d->function_index];
  if (f->stack_at) return;
  f->stack_at = f->local_bytes ? f->local_bytes : STACK_ALIGN;
  f->local_bytes = f->local_end = f->stack_at + STACK_BYTES;
  f->stack_slot = f->slots++;
}

static void finish(Decoder *d, ExecFn fn) {
  need_stack(d);
  d->insn->kind = INSN_PLAIN;
  d->insn->fn = fn;
}

/* d, bytes{, alignment} */
void decode_alloca(Decoder *d) {
  if (!decode_count(d, 2, 3)) return;
  const Operand *align = d->statement->operands > 2 ? decode_operand(d, 2) : NULL;
  const uint64_t given = align ? align->value : LEAST_ALIGN;
  if ((align && align->kind != OPERAND_INT) || !given || given > STACK_ALIGN ||
      (given & (given - 1)))
    decode_fail(d, "the alignment is not a power of two up to %d", STACK_ALIGN);
  d->insn->move = (MoveOp){.addend = given < LEAST_ALIGN ? LEAST_ALIGN : given};
  decode_result(d);
  decode_sources(d, 1, 1, ARITH_U64);
  finish(d, exec_alloca);
}

void decode_stacksave(Decoder *d) {
  if (!decode_count(d, 1, 1)) return;
  decode_result(d);
  finish(d, exec_save);
}

void decode_stackrestore(Decoder *d) {
  if (!decode_count(d, 1, 1)) return;
  decode_sources(d, 0, 1, ARITH_U64);
  finish(d, exec_restore);
}
