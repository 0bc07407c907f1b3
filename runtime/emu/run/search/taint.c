/* SPDX-License-Identifier: MIT */
#include "emu/run/search/taint.h"

#include <stdlib.h>

/* DATA: depends on data. TEST: depends on whether a test of an mbarrier failed. */
enum { DATA = 1, TEST = 2 };

typedef struct {
  const Program *p;
  int32_t end;                   /* the kernel's */
  uint8_t *reg, *pred, *control; /* by slot, by predicate, by pc */
  int32_t *stack;
  bool *seen, *spread; /* by pc: in a walk; the branch's region is marked with its taint */
  bool changed;
} Taint;

/* --- instructions --- */

static bool is_test(const Insn *insn) { return insn->kind == INSN_MBARRIER && insn->p_out[0] >= 0; }

static bool is_sync(const Insn *insn) {
  return insn->kind == INSN_BARRIER || insn->kind == INSN_MBARRIER ||
         (insn->kind == INSN_BULK && insn->memory.bulk->mbarrier) ||
         (insn->kind == INSN_MEET && insn->meet.anywhere);
}

static uint8_t of_ref(const Taint *t, Ref ref) {
  return ref >> REF_SHIFT == BANK_FRAME ? t->reg[ref & REF_INDEX] : 0;
}

static uint8_t of_pred(const Taint *t, PredRef pred) {
  return pred.slot >= 0 ? t->pred[pred.slot] : 0;
}

static bool has_address(const Insn *insn) {
  return insn_accesses(insn) || insn->kind == INSN_SLOT || insn->kind == INSN_SURFACE;
}

static uint8_t of_inputs(const Taint *t, const Insn *insn) {
  uint8_t in = of_pred(t, insn->guard) | of_pred(t, insn->p_in);
  for (int i = 0; i < insn->n_s; i++) in |= of_ref(t, insn->s[i]);
  if (insn->kind == INSN_LOGIC) in |= of_pred(t, insn->logic.second);
  if (is_sync(insn) && insn_accesses(insn)) in |= of_ref(t, insn->memory.base);
  if (insn->kind == INSN_BULK && insn->memory.bulk->mbarrier)
    in |= of_ref(t, insn->memory.bulk->mbarrier->base);
  return in;
}

/* Parameters and constants do not change while the kernel runs. */
static bool loads_data(const Insn *insn) {
  if (insn->kind == INSN_MBARRIER) return false;
  if (insn->kind == INSN_ACCESS)
    return insn->memory.space != EMU_PARAM && insn->memory.space != EMU_CONST;
  return has_address(insn) || insn->kind == INSN_VALUE || insn->kind == INSN_PLAIN ||
         insn->kind == INSN_CALL || insn->kind == INSN_TEXTURE || insn->kind == INSN_TENSOR;
}

static void raise(Taint *t, uint8_t *at, uint8_t taint) {
  t->changed |= (*at | taint) != *at;
  *at |= taint;
}

/* Loads have no list of destinations: their first operand names these. */
static void raise_operand(Taint *t, const Operand *o, uint8_t taint) {
  if (o->kind == OPERAND_REG) raise(t, &t->reg[o->slot], taint);
  for (int i = 0; o->kind == OPERAND_VECTOR && i < o->items; i++)
    raise_operand(t, &o->item[i], taint);
}

static void flow(Taint *t, int32_t pc) {
  const Insn *insn = &t->p->insn[pc];
  uint8_t out = of_inputs(t, insn) | t->control[pc];
  if (loads_data(insn)) out |= DATA;
  if (has_address(insn) && insn->d && insn->statement->operands)
    raise_operand(t, &insn->statement->operand[0], out);
  for (int i = 0; i < insn->n_d; i++)
    if (insn->d[i] >> REF_SHIFT == BANK_FRAME) raise(t, &t->reg[insn->d[i] & REF_INDEX], out);
  for (int i = 0; i < 2; i++)
    if (insn->p_out[i] >= 0) raise(t, &t->pred[insn->p_out[i]], is_test(insn) ? out | TEST : out);
}

/* --- control flow --- */

static void push(Taint *t, int *count, int32_t pc, int32_t join) {
  if (pc < 0 || pc >= t->end || pc == join || t->seen[pc]) return;
  t->seen[pc] = true;
  t->stack[(*count)++] = pc;
}

static void push_next(Taint *t, int *count, int32_t pc, int32_t join) {
  const Insn *insn = &t->p->insn[pc];
  for (int i = 0; insn->kind == INSN_BRANCH && i < insn->branch.count; i++)
    push(t, count, insn->branch.targets[i], join);
  if (insn_falls_through(insn)) push(t, count, pc + 1, join);
}

/* Marks the instructions from a branch to the point where its lanes reconverge, and all that follow
 * an exit that only some lanes take. */
static void spread(Taint *t, int32_t branch, uint8_t taint) {
  const Insn *insn = &t->p->insn[branch];
  const int32_t join = insn->kind == INSN_BRANCH ? insn->branch.join : -1;
  int count = 0;
  for (int32_t i = 0; i < t->end; i++) t->seen[i] = false;
  push_next(t, &count, branch, join);
  while (count) {
    const int32_t pc = t->stack[--count];
    raise(t, &t->control[pc], taint);
    push_next(t, &count, pc, join);
  }
}

static void flow_all(Taint *t) {
  for (t->changed = true; t->changed;) {
    t->changed = false;
    for (int32_t pc = t->p->function[0].entry; pc < t->end; pc++) {
      const Insn *insn = &t->p->insn[pc];
      flow(t, pc);
      const bool branches = insn->kind == INSN_BRANCH || insn->kind == INSN_END;
      const uint8_t taint = branches ? of_inputs(t, insn) : 0;
      if (taint && !(t->spread[pc] && !t->changed)) spread(t, pc, taint);
      t->spread[pc] |= taint != 0;
    }
  }
}

/* A failed test may only be repeated: the log checks that. */
static bool depends(const Taint *t, int32_t pc) {
  const Insn *insn = &t->p->insn[pc];
  const uint8_t taint = of_inputs(t, insn) | t->control[pc];
  return is_test(insn) ? (taint & DATA) != 0 : taint != 0;
}

const Insn *taint_find(const Program *p, bool *failed) {
  const size_t count = (size_t)p->count + 1;
  const FunctionCode *f = &p->function[0];
  Taint t = {.p = p, .end = f->end};
  t.reg = calloc((size_t)f->slots + 1, 1);
  t.pred = calloc((size_t)f->preds + 1, 1);
  t.control = calloc(count, 1);
  t.stack = calloc(count, sizeof *t.stack);
  t.seen = calloc(count, sizeof *t.seen);
  t.spread = calloc(count, sizeof *t.spread);
  *failed = !t.reg || !t.pred || !t.control || !t.stack || !t.seen || !t.spread;
  const Insn *found = NULL;
  if (!*failed) flow_all(&t);
  for (int32_t pc = 0; !*failed && !found && pc < p->count; pc++) {
    const bool within = pc >= f->entry && pc < f->end;
    if (is_sync(&p->insn[pc]) && (!within || depends(&t, pc))) found = &p->insn[pc];
  }
  free(t.reg);
  free(t.pred);
  free(t.control);
  free(t.stack);
  free(t.seen);
  free(t.spread);
  return found;
}
