/* SPDX-License-Identifier: MIT */
#include "emu/code/constants.h"

#include <string.h>

#include "emu/code/shuffle.h"

typedef struct {
  const Program *program;
  const FunctionCode *function;
  /* indexed by slot: the only statement whose first operand is the slot, or NONE or SEVERAL */
  int32_t *writer;
  int32_t from; /* the move that `avoids` refers to; NONE: none so far */
  /* indexed by instruction, from the function's first: reachable on a path without the move */
  bool *avoids;
  int32_t *left; /* work list */
} Constants;

enum { NONE = -1, SEVERAL = -2 };

/* --- writers --- */

static void write_operand(Constants *x, const Operand *o, int32_t at) {
  if (o->kind == OPERAND_REG) {
    int32_t *writer = &x->writer[o->slot];
    *writer = *writer == NONE ? at : SEVERAL;
  }
  for (int i = 0; i < o->items; i++) write_operand(x, &o->item[i], at);
  if (o->second) write_operand(x, o->second, at);
}

static void write_variables(Constants *x, Symbol *const *symbol, int count) {
  for (int i = 0; i < count; i++)
    if (symbol[i]->kind == SYMBOL_REG) x->writer[symbol[i]->slot] = SEVERAL;
}

/* Statements write only their first operand; calls also write parameters. */
static void find_writers(Constants *x, int slots) {
  const FunctionCode *f = x->function;
  for (int i = 0; i < slots; i++) x->writer[i] = NONE;
  for (int32_t i = f->entry; i < f->end; i++) {
    const Statement *s = x->program->insn[i].statement;
    if (s->operands) write_operand(x, &s->operand[0], i);
  }
  write_variables(x, f->source->param, f->source->params);
  write_variables(x, f->source->result, f->source->returns);
}

/* --- dominance --- */

static int reach(Constants *x, int left, int32_t at) {
  bool *seen = &x->avoids[at - x->function->entry];
  if (*seen || at == x->from) return left;
  *seen = true;
  x->left[left++] = at;
  return left;
}

/* Finds the instructions that are reachable without executing the one at `from`. */
static void find_ways(Constants *x, int32_t from) {
  const FunctionCode *f = x->function;
  x->from = from;
  memset(x->avoids, 0, (size_t)(f->end - f->entry) * sizeof *x->avoids);
  for (int left = reach(x, 0, f->entry); left;) {
    const int32_t at = x->left[--left];
    const Insn *insn = &x->program->insn[at];
    for (int k = 0; insn->kind == INSN_BRANCH && k < insn->branch.count; k++)
      left = reach(x, left, insn->branch.targets[k]);
    if (insn_falls_through(insn) && at + 1 < f->end) left = reach(x, left, at + 1);
  }
}

/* The constant that an operand of the instruction at `at` always has; else the operand itself. */
static Ref settle(Constants *x, Ref ref, int32_t at) {
  const int32_t writer = ref >> REF_SHIFT == BANK_FRAME ? x->writer[ref & REF_INDEX] : NONE;
  if (writer < 0) return ref;
  const Insn *move = &x->program->insn[writer];
  if (move->kind != INSN_MOVE || !insn_is_always(move) || move->move.addend ||
      move->move.of_frame || move->s[0] >> REF_SHIFT != BANK_CONST)
    return ref;
  if (writer != x->from) find_ways(x, writer);
  return x->avoids[at - x->function->entry] ? ref : move->s[0];
}

/* --- replacement --- */

static uint32_t value_of(const Program *p, Ref ref) {
  return (uint32_t)p->const_value[ref & REF_INDEX];
}

static bool is_constant(Ref ref) { return ref >> REF_SHIFT == BANK_CONST; }

/* Replaces b, c and the member mask of a shuffle, and the member mask of other instructions. */
static void settle_insn(Constants *x, Arena *a, Insn *insn, int32_t at) {
  const int first = insn->meet.shuffles ? 1 : insn->n_s - 1;
  Ref *s = ARENA_ARRAY(a, Ref, insn->n_s);
  memcpy(s, insn->s, insn->n_s * sizeof *s);
  for (int i = first; i < insn->n_s; i++) s[i] = settle(x, s[i], at);
  insn->s = s;
  if (insn->meet.shuffles && is_constant(s[1]) && is_constant(s[2]))
    insn->meet.map = shuffle_map(a, (ShflMode)insn->meet.mode, value_of(x->program, s[1]),
                                 value_of(x->program, s[2]));
}

void constants_find(Arena *a, Program *p, const FunctionCode *f) {
  Arena *own = arena_new();
  const size_t count = (size_t)(f->end - f->entry) + 1;
  Constants x = {.program = p, .function = f, .from = NONE};
  x.writer = ARENA_ARRAY(own, int32_t, (size_t)f->slots + 2);
  x.avoids = ARENA_ARRAY(own, bool, count);
  x.left = ARENA_ARRAY(own, int32_t, count);
  find_writers(&x, f->slots + 2);
  for (int32_t i = f->entry; i < f->end; i++)
    if (p->insn[i].kind == INSN_MEET) settle_insn(&x, a, &p->insn[i], i);
  arena_free(own);
}
