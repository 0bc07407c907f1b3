/* SPDX-License-Identifier: MIT */
#include "emu/code/bases.h"

/* The leaders that may be followed: instruction indices, or -1. */
typedef struct {
  int leader[PLACES];
  unsigned next; /* index for the next leader */
} Reach;

static void forget_all(Reach *r) {
  for (int i = 0; i < PLACES; i++) r->leader[i] = -1;
}

/* A straight-line instruction writes its first register operand. */
static bool writes(const Statement *s, Ref ref) {
  const Operand *to = s->operands ? &s->operand[0] : NULL;
  const bool several = to && to->kind == OPERAND_VECTOR;
  const int count = several ? to->items : to ? 1 : 0;
  for (int i = 0; i < count; i++) {
    const Operand *item = several ? &to->item[i] : to;
    if (item->kind == OPERAND_REG && ref_make(BANK_FRAME, (unsigned)item->slot) == ref) return true;
  }
  return false;
}

static bool can_share(const Insn *insn) {
  const MemoryOp *op = &insn->memory;
  return insn->kind == INSN_ACCESS && !op->is_frame && !op->polls && op->space != EMU_LOCAL &&
         op->base >> REF_SHIFT == BANK_FRAME;
}

static bool alike(const MemoryOp *a, const MemoryOp *b) {
  return a->base == b->base && a->space == b->space && a->narrow == b->narrow &&
         a->array == b->array && a->bytes * a->elements == b->bytes * b->elements;
}

static void join(Program *p, Reach *r, int i) {
  MemoryOp *op = &p->insn[i].memory;
  for (unsigned k = 0; k < PLACES; k++) {
    const int leader = r->leader[k];
    if (leader < 0 || i - leader > UINT16_MAX || !alike(&p->insn[leader].memory, op)) continue;
    p->insn[leader].memory.leads = true;
    op->follows = (uint16_t)(i - leader);
    op->place = (uint8_t)k;
    return;
  }
  op->place = (uint8_t)(r->next++ % PLACES);
  r->leader[op->place] = i;
}

void bases_find(Program *p) {
  Reach r = {.next = 0};
  forget_all(&r);
  for (int i = 0; i < p->count; i++) {
    const Insn *insn = &p->insn[i];
    if (!insn->plain || insn->join) forget_all(&r);
    if (!insn->plain) continue;
    if (can_share(insn)) join(p, &r, i);
    for (int k = 0; k < PLACES; k++)
      if (r.leader[k] >= 0 && writes(insn->statement, p->insn[r.leader[k]].memory.base))
        r.leader[k] = -1;
  }
}
