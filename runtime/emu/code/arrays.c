/*
 * Where addresses come from. Every register's assignments are followed until nothing changes: a sum
 * of one array's address and plain values is an address of that array, whatever its value. What
 * joins two arrays, subtracts an address, or is made of one by anything but moves and sums is of no
 * known array, so that nothing wrong is said of it. A value from memory or a parameter is plain.
 */
#include "emu/code/arrays.h"

#include <string.h>

enum { PLAIN, UNKNOWN, FIRST_ARRAY }; /* an Origin: what stands behind is an array of the list */

typedef struct {
  Program *program;
  const FunctionCode *code;
  int *origin;          /* by slot */
  const Symbol **array; /* by origin - FIRST_ARRAY */
  int arrays;
  bool changed;
} Origins;

static int array_origin(Origins *o, const Symbol *symbol) {
  if (symbol->kind != SYMBOL_VAR || symbol->space != EMU_SHARED) return PLAIN;
  if (symbol->dynamic) return UNKNOWN;
  for (int i = 0; i < o->arrays; i++) {
    if (o->array[i] == symbol) return FIRST_ARRAY + i;
  }
  o->array[o->arrays] = symbol;
  return FIRST_ARRAY + o->arrays++;
}

static int origin_of(Origins *o, const Operand *operand) {
  switch (operand->kind) {
  case OPERAND_REG: return o->origin[operand->slot];
  case OPERAND_SYMBOL: return operand->symbol ? array_origin(o, operand->symbol) : PLAIN;
  case OPERAND_VECTOR:
    for (int i = 0; i < operand->items; i++) {
      if (origin_of(o, &operand->item[i]) != PLAIN) return UNKNOWN;
    }
    return PLAIN;
  default: return PLAIN;
  }
}

static bool is_op(const Statement *s, const char *name) {
  const size_t length = strlen(name);
  return strncmp(s->opcode, name, length) == 0 &&
         (s->opcode[length] == '.' || s->opcode[length] == '\0');
}

static int sum(int a, int b) { return a == PLAIN ? b : b == PLAIN ? a : UNKNOWN; }

/* What the statement's result comes from. or adds bits that the other operand lacks. */
static int result_origin(Origins *o, const Statement *s) {
  int origin[4] = {PLAIN, PLAIN, PLAIN, PLAIN}, any = PLAIN;
  for (int i = 1; i < s->operands && i < 4; i++) {
    origin[i] = origin_of(o, &s->operand[i]);
    if (origin[i] != PLAIN) any = UNKNOWN;
  }
  if (is_op(s, "ld") || any == PLAIN) return PLAIN;
  if (s->operands == 2 && (is_op(s, "mov") || is_op(s, "cvta") || is_op(s, "cvt")))
    return s->operand[1].kind == OPERAND_VECTOR ? UNKNOWN : origin[1];
  if (s->operands == 3 && (is_op(s, "add") || is_op(s, "or"))) return sum(origin[1], origin[2]);
  if (s->operands == 3 && is_op(s, "sub") && origin[2] == PLAIN) return origin[1];
  if (s->operands == 4 && is_op(s, "mad") && origin[1] == PLAIN && origin[2] == PLAIN)
    return origin[3];
  return UNKNOWN;
}

/* A register with several assignments is of one array if they all are; a plain one, such as the
 * null pointer, stands for no array. */
static void assign(Origins *o, const Operand *to, int origin) {
  if (to->kind == OPERAND_VECTOR) {
    for (int i = 0; i < to->items; i++) assign(o, &to->item[i], origin == PLAIN ? PLAIN : UNKNOWN);
    return;
  }
  if (to->kind != OPERAND_REG || origin == PLAIN) return;
  int *slot = &o->origin[to->slot];
  const int joined = *slot == PLAIN || *slot == origin ? origin : UNKNOWN;
  o->changed |= joined != *slot;
  *slot = joined;
}

static void follow(Origins *o) {
  const Function *f = o->code->source;
  do {
    o->changed = false;
    for (int i = 0; i < f->statements; i++) {
      const Statement *s = &f->statement[i];
      if (s->operands > 1) assign(o, &s->operand[0], result_origin(o, s));
    }
  } while (o->changed);
}

static void name_array(Origins *o, Insn *insn) {
  const Statement *s = insn->statement;
  int i = 0;
  while (i < s->operands && s->operand[i].kind != OPERAND_MEMORY) i++;
  if (i == s->operands) return;
  const int origin = origin_of(o, &s->operand[i].item[0]);
  if (origin >= FIRST_ARRAY) insn->memory.array = o->array[origin - FIRST_ARRAY];
}

/* Room for every operand that may name an array. */
static size_t most_arrays(const Function *f) {
  size_t most = 1;
  for (int i = 0; i < f->statements; i++) most += (size_t)f->statement[i].operands;
  return most;
}

void arrays_find(Arena *arena, Program *program, const FunctionCode *code) {
  Origins o = {.program = program, .code = code};
  o.origin = ARENA_ARRAY(arena, int, (size_t)code->slots + 1);
  o.array = ARENA_ARRAY(arena, const Symbol *, most_arrays(code->source));
  follow(&o);
  for (int i = code->entry; i < code->end; i++) {
    if (insn_accesses(&program->insn[i])) name_array(&o, &program->insn[i]);
  }
}
