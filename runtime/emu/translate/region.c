/* SPDX-License-Identifier: MIT */
#include "emu/translate/region.h"

/* --- labels --- */

/* Indexed by instruction: targets of forward and of backward branches. */
typedef struct {
  const Program *program;
  bool *target, *loop;
} Labels;

static Labels labels_find(Arena *a, const Program *p) {
  Labels x = {p, ARENA_ARRAY(a, bool, (size_t)p->count + 1),
              ARENA_ARRAY(a, bool, (size_t)p->count + 1)};
  for (int i = 0; i < p->functions; i++) x.target[p->function[i].entry] = true;
  for (int i = 0; i < p->count; i++) {
    const Insn *insn = &p->insn[i];
    for (int k = 0; insn->kind == INSN_BRANCH && k < insn->branch.count; k++) {
      x.target[insn->branch.targets[k]] = true;
      x.loop[insn->branch.targets[k]] |= insn->branch.targets[k] <= i;
    }
  }
  return x;
}

static bool joins_region(const Insn *insn) {
  return insn->kind == INSN_BRANCH && insn->branch.count == 1 && !insn->join && !insn->n_s;
}

/* --- branches that skip instructions --- */

static int32_t skips_to(const Labels *x, int32_t at);

/* True if any subset of lanes may execute [from, to) without the interpreter. */
static bool is_skipped(const Labels *x, int32_t from, int32_t to) {
  for (int32_t i = from, met = -1; i < to;) {
    if (x->target[i] && i != met) return false;
    if (x->program->insn[i].plain) {
      i++;
      continue;
    }
    i = met = skips_to(x, i);
    if (i < 0 || i > to) return false;
  }
  return true;
}

/* The reconvergence point of all lanes that the branch splits; -1 if it is not within a few
 * instructions. */
static int32_t skips_to(const Labels *x, int32_t at) {
  enum { MOST = 64 };
  const Insn *insn = &x->program->insn[at];
  if (!joins_region(insn) || insn_is_always(insn)) return -1;
  const int32_t to = insn->branch.targets[0];
  const bool meets = to == insn->branch.join && to > at + 1 && to - at < MOST;
  return meets && is_skipped(x, at + 1, to) ? to : -1;
}

/* --- regions --- */

static bool is_start(const Labels *x, int32_t at) {
  const Insn *insn = &x->program->insn[at];
  return insn_runs_on(insn, true, false) &&
         (at == 0 || x->target[at] || !insn_runs_on(insn - 1, true, false));
}

/* Builds a region of about `most` instructions. Instructions shared with another region make the
 * text longer. */
static Region region_from(const Labels *x, int32_t start, int32_t most) {
  const Program *p = x->program;
  Region r = {.start = start, .end = start};
  for (int32_t met = start; r.end < p->count && (!x->target[r.end] || r.end == met);) {
    const Insn *insn = &p->insn[r.end];
    if (insn_runs_on(insn, true, false)) {
      r.whole |= !insn->plain;
      r.end++;
      continue;
    }
    const int32_t to = skips_to(x, r.end);
    if (to < 0 || to - start > most) break;
    r.end = to;
    if (x->loop[to]) break;
    met = to;
  }
  r.branches = r.end < p->count && !x->target[r.end] && joins_region(&p->insn[r.end]);
  return r;
}

/* A call costs as much as interpreting one instruction, except for memory accesses, which often are
 * the only instruction between barriers. */
static bool pays(const Program *p, Region r) {
  return r.end - r.start > 1 || p->insn[r.start].kind == INSN_ACCESS;
}

Regions regions_find(Arena *a, const Program *p) {
  enum { LONG = 192, SHORT = 32 };
  Regions all = {.region = ARENA_ARRAY(a, Region, (size_t)p->count + 1)};
  const Labels labels = labels_find(a, p);
  for (int32_t i = 0, end = 0; i < p->count; i++) {
    if (!is_start(&labels, i)) continue;
    const Region r = region_from(&labels, i, i < end ? SHORT : LONG);
    if (pays(p, r)) all.region[all.count++] = r;
    if (r.end > end) end = r.end;
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

/* Marks the parameters and results of a function, which calls access, too. */
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
