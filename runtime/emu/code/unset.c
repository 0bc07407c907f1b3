/* SPDX-License-Identifier: MIT */
/* Data-flow analysis: follows all paths forward with the set of registers that have certainly been
 * written. Where paths join, the sets are intersected. */
#include "emu/code/unset.h"

#include <string.h>

enum { MOST = 1 << 15, WORD = 64 }; /* longer kernels clear all their registers */

typedef struct {
  const Program *program;
  size_t words;
  uint64_t **at; /* indexed by instruction: the set at each branch target; else NULL */
  uint64_t *now;
  bool *unset; /* indexed by register: may be read before it is written */
  bool changed;
} Paths;

/* --- instructions --- */

/* True for instructions that write their first operand in all lanes and do not read it. */
static bool writes_first(const Insn *insn) {
  switch (insn->kind) {
  case INSN_ARITH:
  case INSN_MOVE:
  case INSN_PACK:
  case INSN_MEET: return insn->n_d > 0 && insn_is_always(insn);
  case INSN_SLOT:
  case INSN_ACCESS: return insn->d && insn_is_always(insn);
  default: return false;
  }
}

static bool has(const uint64_t *set, int slot) { return set[slot / WORD] >> slot % WORD & 1; }

/* Handles an operand that may be read. */
static void name(Paths *x, const Operand *o) {
  if (o->kind == OPERAND_REG) x->unset[o->slot] |= !has(x->now, o->slot);
  for (int i = 0; i < o->items; i++) name(x, &o->item[i]);
  if (o->second) name(x, o->second);
}

/* Handles an operand that is written. */
static void set(Paths *x, const Operand *o) {
  if (o->kind == OPERAND_REG) x->now[o->slot / WORD] |= 1ull << o->slot % WORD;
  for (int i = 0; o->kind == OPERAND_VECTOR && i < o->items; i++) set(x, &o->item[i]);
}

static void pass_insn(Paths *x, const Insn *insn, bool last) {
  const Statement *s = insn->statement;
  const bool writes = writes_first(insn) && s->operands;
  for (int i = writes; last && i < s->operands; i++) name(x, &s->operand[i]);
  if (writes) set(x, &s->operand[0]);
}

/* --- paths --- */

static void meet(Paths *x, int32_t target) {
  uint64_t *there = x->at[target];
  for (size_t i = 0; i < x->words; i++) {
    x->changed |= (there[i] & ~x->now[i]) != 0;
    there[i] &= x->now[i];
  }
}

static void pass(Paths *x, const FunctionCode *f, bool last) {
  memset(x->now, 0, x->words * sizeof *x->now);
  for (int32_t i = f->entry; i < f->end; i++) {
    const Insn *insn = &x->program->insn[i];
    if (x->at[i]) {
      meet(x, i);
      memcpy(x->now, x->at[i], x->words * sizeof *x->now);
    }
    pass_insn(x, insn, last);
    for (int k = 0; insn->kind == INSN_BRANCH && k < insn->branch.count; k++)
      meet(x, insn->branch.targets[k]);
    if (!insn_falls_through(insn)) memset(x->now, 0xff, x->words * sizeof *x->now);
  }
}

static void find_targets(Arena *a, Paths *x, const FunctionCode *f) {
  for (int32_t i = f->entry; i < f->end; i++) {
    const Insn *insn = &x->program->insn[i];
    for (int k = 0; insn->kind == INSN_BRANCH && k < insn->branch.count; k++) {
      uint64_t **at = &x->at[insn->branch.targets[k]];
      if (!*at) memset(*at = ARENA_ARRAY(a, uint64_t, x->words), 0xff, x->words * sizeof **at);
    }
  }
}

/* Marks variables, and the registers that the interpreter adds after those declared in the text:
 * they are accessed by other means. */
static void find_variables(Paths *x, const FunctionCode *f) {
  for (const Symbol *v = f->source->vars; v; v = v->next_var)
    for (uint64_t i = 0; v->in_slots && i * sizeof(uint64_t) < v->bytes; i++)
      x->unset[(uint64_t)v->slot + i] = true;
  for (int i = f->source->slots; i < f->slots; i++) x->unset[i] = true;
}

/* Lists the registers that may be read first, as ranges. */
static void list(Arena *a, Program *p, const Paths *x, int slots) {
  p->unset = ARENA_ARRAY(a, SlotRange, (size_t)slots / 2 + 1);
  p->unsets = 0;
  for (int i = 0; i < slots; i++) {
    if (!x->unset[i]) continue;
    SlotRange *last = &p->unset[p->unsets - (p->unsets > 0)];
    if (p->unsets && last->first + last->count == i)
      last->count++;
    else
      p->unset[p->unsets++] = (SlotRange){i, 1};
  }
}

void unset_find(Arena *arena, Program *p) {
  const FunctionCode *f = &p->function[0];
  Arena *own = arena_new();
  Paths x = {.program = p, .words = (size_t)f->slots / WORD + 1};
  x.now = ARENA_ARRAY(own, uint64_t, x.words);
  x.unset = ARENA_ARRAY(own, bool, (size_t)f->slots + 2);
  x.at = ARENA_ARRAY(own, uint64_t *, (size_t)p->count + 1);
  const bool looks = f->end - f->entry <= MOST;
  if (looks) find_targets(own, &x, f);
  for (x.changed = looks; x.changed;) {
    x.changed = false;
    pass(&x, f, false);
  }
  if (looks) pass(&x, f, true);
  if (!looks) memset(x.unset, true, (size_t)f->slots);
  find_variables(&x, f);
  list(arena, p, &x, f->slots);
  arena_free(own);
}
