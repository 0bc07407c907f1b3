/* SPDX-License-Identifier: MIT */
/*
 * Tracks which array an address was derived from. Iterates over the assignments of all registers
 * until nothing changes. The sum of one array's address and plain values is an address in that
 * array, whatever its value. A value that combines two arrays, subtracts an address, or is computed
 * from one by anything but moves and sums has no known array, so that nothing false is reported. A
 * value from memory or a parameter is plain.
 *
 * NVIDIA's compiler merges the local arrays of a function into one, __local_depot, and computes
 * each address as the depot's plus a constant: `add.u64 %rd2, %SPL, 32`. It does so only for whole
 * variables, optimized or not: an address inside a variable is [%rd2+16], or a sum with %rd2.
 * Therefore an array ends at the latest where the next one begins. LLVM's own back end may fold the
 * two additions, so its depots are treated as one array.
 */
#include "emu/code/arrays.h"

#include <string.h>

/* Values of an origin; from FIRST_ARRAY on, an array in the list. */
enum { PLAIN, UNKNOWN, DEPOT, FIRST_ARRAY };

typedef struct {
  Arena *arena;
  Program *program;
  const FunctionCode *code;
  int *origin;         /* indexed by slot */
  ArrayBounds **array; /* indexed by origin - FIRST_ARRAY */
  int arrays;
  const Symbol *depot; /* NULL: none found so far */
  bool changed;
} Origins;

static int listed(Origins *o, ArrayBounds bounds) {
  for (int i = 0; i < o->arrays; i++) {
    if (o->array[i]->space == bounds.space && o->array[i]->address == bounds.address)
      return FIRST_ARRAY + i;
  }
  o->array[o->arrays] = ARENA_NEW(o->arena, ArrayBounds);
  *o->array[o->arrays] = bounds;
  return FIRST_ARRAY + o->arrays++;
}

static int array_origin(Origins *o, const Symbol *symbol) {
  static const char depot[] = "__local_depot";
  const bool local = symbol->space == EMU_LOCAL;
  if (symbol->kind != SYMBOL_VAR || (symbol->space != EMU_SHARED && !local)) return PLAIN;
  if (symbol->dynamic) return UNKNOWN;
  if (local && strncmp(symbol->name, depot, sizeof depot - 1) == 0) {
    o->depot = symbol;
    return o->program->ast->by_nvidia ? DEPOT : UNKNOWN;
  }
  return listed(o, (ArrayBounds){symbol->name, symbol->space, symbol->address, symbol->bytes});
}

/* The array that begins at this offset of the depot; until part_depot() it extends to the depot's
 * end. */
static int depot_array(Origins *o, uint64_t offset) {
  if (offset >= o->depot->bytes) return UNKNOWN;
  return listed(
      o, (ArrayBounds){NULL, EMU_LOCAL, o->depot->address + offset, o->depot->bytes - offset});
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

static int sum(Origins *o, const Operand *a, const Operand *b) {
  const int x = origin_of(o, a), y = origin_of(o, b);
  if (x == DEPOT && b->kind == OPERAND_INT) return depot_array(o, b->value);
  if (x == DEPOT || y == DEPOT) return UNKNOWN;
  return x == PLAIN ? y : y == PLAIN ? x : UNKNOWN;
}

/* The origin of the statement's result. `or` counts as a sum, because compilers use it to set bits
 * that the other operand lacks. */
static int result_origin(Origins *o, const Statement *s) {
  int origin[4] = {PLAIN, PLAIN, PLAIN, PLAIN}, any = PLAIN;
  for (int i = 1; i < s->operands && i < 4; i++) {
    origin[i] = origin_of(o, &s->operand[i]);
    if (origin[i] != PLAIN) any = UNKNOWN;
  }
  if (is_op(s, "ld") || any == PLAIN) return PLAIN;
  if (s->operands == 2 && (is_op(s, "mov") || is_op(s, "cvta") || is_op(s, "cvt")))
    return s->operand[1].kind == OPERAND_VECTOR ? UNKNOWN : origin[1];
  if (s->operands == 3 && (is_op(s, "add") || is_op(s, "or")))
    return sum(o, &s->operand[1], &s->operand[2]);
  if (s->operands == 3 && is_op(s, "sub") && origin[2] == PLAIN) return origin[1];
  if (s->operands == 4 && is_op(s, "mad") && origin[1] == PLAIN && origin[2] == PLAIN)
    return origin[3];
  return UNKNOWN;
}

/* Merges the origin of one more assignment. A register points into one array if all its assignments
 * do; a plain value, such as a null pointer, is compatible with any array. */
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

/* Ends each of the compiler's arrays at the next one. */
static void part_depot(Origins *o) {
  for (int i = 0; i < o->arrays; i++) {
    ArrayBounds *a = o->array[i];
    for (int k = 0; k < o->arrays && !a->name; k++) {
      const ArrayBounds *b = o->array[k];
      if (!b->name && b->address > a->address && b->address - a->address < a->bytes)
        a->bytes = b->address - a->address;
    }
  }
}

/* An upper bound on the number of arrays: one per operand that may name one. */
static size_t most_arrays(const Function *f) {
  size_t most = 1;
  for (int i = 0; i < f->statements; i++) most += (size_t)f->statement[i].operands;
  return most;
}

void arrays_find(Arena *arena, Program *program, const FunctionCode *code) {
  Origins o = {.arena = arena, .program = program, .code = code};
  o.origin = ARENA_ARRAY(arena, int, (size_t)code->slots + 1);
  o.array = ARENA_ARRAY(arena, ArrayBounds *, most_arrays(code->source));
  follow(&o);
  part_depot(&o);
  for (int i = code->entry; i < code->end; i++) {
    if (insn_accesses(&program->insn[i])) name_array(&o, &program->insn[i]);
  }
}
