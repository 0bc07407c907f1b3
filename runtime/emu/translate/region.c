#include "emu/translate/region.h"

/* --- regions --- */

static bool *find_targets(Arena *a, const Program *p) {
  bool *target = ARENA_ARRAY(a, bool, (size_t)p->count + 1);
  for (int i = 0; i < p->functions; i++) target[p->function[i].entry] = true;
  for (int i = 0; i < p->count; i++) {
    const Insn *insn = &p->insn[i];
    for (int k = 0; insn->kind == INSN_BRANCH && k < insn->branch.count; k++)
      target[insn->branch.targets[k]] = true;
  }
  return target;
}

static bool joins_region(const Insn *insn) {
  return insn->kind == INSN_BRANCH && insn->branch.count == 1 && !insn->join && !insn->n_s;
}

static bool goes_on(const Program *p, const bool *target, int32_t start, int32_t at) {
  return at < p->count && insn_runs_on(&p->insn[at], true) && (at == start || !target[at]);
}

Regions regions_find(Arena *a, const Program *p) {
  enum { LEAST = 2 }; /* a call of one costs as much as the interpreter */
  Regions all = {.region = ARENA_ARRAY(a, Region, (size_t)p->count + 1)};
  const bool *target = find_targets(a, p);
  for (int32_t i = 0, end; i<p->count; i = end> i ? end : i + 1) {
    bool whole = false;
    for (end = i; goes_on(p, target, i, end); end++) whole |= !insn_runs_on(&p->insn[end], false);
    if (end - i < LEAST) continue;
    const bool branches = end < p->count && !target[end] && joins_region(&p->insn[end]);
    all.region[all.count++] = (Region){i, end, branches, whole};
  }
  return all;
}

/* --- registers --- */

static void name(Named *all, int slot, Width width, int32_t at) {
  Named *n = &all[slot];
  if (n->first > n->last) *n = (Named){(uint8_t)width, at, at};
  if (n->width != width) n->width = WIDTH_NONE;
  n->last = at;
}

static void name_operand(Named *all, const Operand *o, int32_t at) {
  const unsigned bits = arith_bits(o->type);
  if (o->kind == OPERAND_REG && bits <= 64)
    name(all, o->slot, bits == 64 ? WIDTH_64 : WIDTH_32, at);
  else if (o->kind == OPERAND_REG)
    for (int half = 0; half < 2; half++) name(all, o->slot + half, WIDTH_NONE, at);
  for (int i = 0; i < o->items; i++) name_operand(all, &o->item[i], at);
  if (o->second) name_operand(all, o->second, at);
}

/* A function's parameters and results, which calls name, too. */
static void name_outside(Named *all, Symbol *const *symbol, int count) {
  for (int i = 0; i < count; i++)
    if (symbol[i]->kind == SYMBOL_REG) all[symbol[i]->slot].last = INT32_MAX;
}

Named *registers_find(Arena *a, const Program *p, const FunctionCode *f) {
  Named *all = ARENA_ARRAY(a, Named, (size_t)f->slots + 2);
  for (int i = 0; i < f->slots + 2; i++) all[i].first = 1;
  for (int32_t i = f->entry; i < f->end; i++) {
    const Statement *s = p->insn[i].statement;
    for (int k = 0; k < s->operands; k++) name_operand(all, &s->operand[k], i);
  }
  name_outside(all, f->source->param, f->source->params);
  name_outside(all, f->source->result, f->source->returns);
  return all;
}
