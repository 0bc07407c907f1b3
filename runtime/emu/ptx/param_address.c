/* SPDX-License-Identifier: MIT */
#include "emu/ptx/param_address.h"

#include <string.h>

/* The known value of a register: a variable's address plus an offset. */
typedef struct {
  Symbol *symbol; /* NULL: unknown */
  uint64_t offset;
  int writers;
} Address;

static bool begins(const Statement *s, const char *opcode) {
  return strncmp(s->opcode, opcode, strlen(opcode)) == 0;
}

static bool is_move_of_variable(const Statement *s) {
  if (!begins(s, "mov.") || s->operands != 2 || s->operand[1].kind != OPERAND_SYMBOL) return false;
  const Symbol *symbol = s->operand[1].symbol;
  return symbol && symbol->kind == SYMBOL_VAR && symbol->in_slots;
}

static bool is_add_of_constant(const Statement *s) {
  return (begins(s, "add.s64") || begins(s, "add.u64")) && s->operands == 3 &&
         s->operand[1].kind == OPERAND_REG && s->operand[2].kind == OPERAND_INT;
}

static bool is_read(const Statement *s) {
  return begins(s, "ld.param") && s->operands == 2 && s->operand[1].kind == OPERAND_MEMORY &&
         s->operand[1].item[0].kind == OPERAND_REG;
}

static void count_writers(Address *of, const Operand *o) {
  if (o->kind == OPERAND_REG) of[o->slot].writers++;
  for (int i = 0; i < o->items; i++) count_writers(of, &o->item[i]);
  if (o->second) count_writers(of, o->second);
}

static bool mentions(const Address *of, const Operand *o) {
  if (o->kind == OPERAND_REG && of[o->slot].symbol) return true;
  for (int i = 0; i < o->items; i++)
    if (mentions(of, &o->item[i])) return true;
  return o->second && mentions(of, o->second);
}

/* Records the statement's result, if its register has no other writer. */
static void trace(Address *of, const Statement *s) {
  if (s->guard || !s->operands || s->operand[0].kind != OPERAND_REG) return;
  Address *to = &of[s->operand[0].slot];
  if (to->writers != 1) return;
  if (is_move_of_variable(s)) {
    to->symbol = s->operand[1].symbol;
    to->offset = s->operand[1].value;
  } else if (is_add_of_constant(s)) {
    const Address *from = &of[s->operand[1].slot];
    to->symbol = from->symbol;
    to->offset = from->offset + s->operand[2].value;
  }
}

/* True if addresses are used only for reads and to compute further addresses. */
static bool is_settled(const Address *of, const Statement *s) {
  if (is_move_of_variable(s) || is_add_of_constant(s))
    return s->operand[0].kind == OPERAND_REG &&
           (of[s->operand[0].slot].symbol ||
            (is_add_of_constant(s) && !mentions(of, &s->operand[1])));
  for (int i = is_read(s) ? s->operands : 0; i < s->operands; i++)
    if (mentions(of, &s->operand[i])) return false;
  return true;
}

static void rewrite(const Address *of, const Statement *s) {
  if (is_move_of_variable(s))
    s->operand[1] = (Operand){.kind = OPERAND_INT, .value = s->operand[1].value};
  if (!is_read(s)) return;
  Operand *memory = &s->operand[1];
  const Address *at = &of[memory->item[0].slot];
  if (!at->symbol) return;
  memory->item[0] =
      (Operand){.kind = OPERAND_SYMBOL, .symbol = at->symbol, .name = at->symbol->name};
  memory->value += at->offset;
}

static void settle(Function *f, Address *of) {
  for (int i = 0; i < f->statements; i++)
    if (f->statement[i].operands) count_writers(of, &f->statement[i].operand[0]);
  for (int i = 0; i < f->statements; i++) trace(of, &f->statement[i]);
  for (int i = 0; i < f->statements; i++)
    if (!is_settled(of, &f->statement[i])) return;
  for (int i = 0; i < f->statements; i++) rewrite(of, &f->statement[i]);
}

void ptx_settle_param_addresses(Function *f) {
  int i = 0;
  while (i < f->statements && !is_move_of_variable(&f->statement[i])) i++;
  if (i == f->statements) return;
  Arena *own = arena_new();
  settle(f, ARENA_ARRAY(own, Address, (size_t)f->slots + 1));
  arena_free(own);
}
