/* SPDX-License-Identifier: MIT */
/*
 * Classifies loads whose purpose decides whether they race, or whether reading unwritten memory is
 * an error.
 *
 * Guesses: `old = *p; do old = atomicCAS(p, seen = old, f(seen)); while (old != seen);` is how the
 * CUDA Programming Guide builds new atomic operations. The plain load may return anything, because
 * the compare-and-swap, whose comparand is its value, detects a wrong guess. It does not race with
 * atomics.
 *
 * Flags: `while (!flag);` on a volatile flag waits for another thread to set it. In PTX, volatile
 * accesses are relaxed ones; but a volatile array without barriers is a bug. Therefore only loops
 * that do nothing but poll are exempted, and only for an address that they load in every iteration:
 * a loop that sums an array does not poll it.
 *
 * Tests: `if (!seen[i]) seen[i] = 1;`, as in graph searches. The load only decides whether its own
 * location is set. Whatever it returns while other threads set it, the location holds the same
 * value in the end if all write the same value. Different values are a race of the stores.
 *
 * Copies of structures: consecutive loads, at consecutive offsets from one register, with one
 * source line. They also copy the padding between members, sometimes by an instruction of its own.
 */
#include "emu/code/loads.h"

#include <string.h>

#include "base/text.h"

enum {
  /* maximum number of consecutive copies whose text order differs from the order of their
   * offsets */
  PASSES = 4,
  DEPTH = 4 /* maximum number of sums and copies through which a value is followed */
};

/* --- guesses --- */

/* Marks the comparands of the function's compare-and-swaps; false if there are none. */
static bool find_comparands(const Function *f, bool *guess) {
  bool any = false;
  for (int i = 0; i < f->statements; i++) {
    const Statement *s = &f->statement[i];
    if (!text_begins_with(s->opcode, "atom") || !strstr(s->opcode, ".cas")) continue;
    if (s->operands < 3 || s->operand[2].kind != OPERAND_REG) continue;
    guess[s->operand[2].slot] = any = true;
  }
  return any;
}

/* Marks the source of a copied guess as a guess; true if some mark is new. */
static bool follow_copies(const Function *f, bool *guess) {
  bool news = false;
  for (int i = f->statements; i-- > 0;) {
    const Statement *s = &f->statement[i];
    if (s->operands != 2 || !text_begins_with(s->opcode, "mov")) continue;
    const Operand *to = &s->operand[0], *from = &s->operand[1];
    if (to->kind != OPERAND_REG || from->kind != OPERAND_REG || !guess[to->slot]) continue;
    news |= !guess[from->slot];
    guess[from->slot] = true;
  }
  return news;
}

static void mark_guesses(Arena *arena, Program *program, const FunctionCode *code) {
  const Function *f = code->source;
  bool *guess = ARENA_ARRAY(arena, bool, (size_t)f->slots + 1);
  if (!find_comparands(f, guess)) return;
  for (int pass = 0; pass < PASSES && follow_copies(f, guess); pass++) {}
  for (int i = 0; i < f->statements; i++) {
    const Statement *s = &f->statement[i];
    if (!text_begins_with(s->opcode, "ld") || s->operand[0].kind != OPERAND_REG) continue;
    Insn *insn = &program->insn[code->entry + i];
    if (insn_accesses(insn) && guess[s->operand[0].slot]) insn->memory.guess = true;
  }
}

/* --- flags --- */

/* True for the statements that may be in the body of a polling loop. */
static bool only_looks(const Insn *insn) {
  static const char *const allowed[] = {
      "ld.", "mov", "setp", "set.", "selp", "and",  "or",   "xor.",  "not.",   "add",      "sub",
      "shl", "shr", "bfe",  "cvt.", "bra",  "prmt", "lop3", "fence", "membar", "nanosleep"};
  for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++) {
    if (text_begins_with(insn->statement->opcode, allowed[i])) return true;
  }
  return false;
}

/* True if the register is among the statement's results. */
static bool writes(const Statement *s, int slot) {
  const Operand *to = s->operands ? &s->operand[0] : NULL;
  const int count = to && to->kind == OPERAND_VECTOR ? to->items : to ? 1 : 0;
  const Operand *item = count && to->kind == OPERAND_VECTOR ? to->item : to;
  for (int i = 0; i < count; i++) {
    if (item[i].kind == OPERAND_REG && item[i].slot == slot) return true;
  }
  return false;
}

/* True if a load of the loop has the same address in every iteration. */
static bool stays(const Program *program, int first, int last, const Insn *load) {
  const Operand *base = &load->statement->operand[1].item[0];
  for (int i = first; i <= last && base->kind == OPERAND_REG; i++) {
    if (writes(program->insn[i].statement, base->slot)) return false;
  }
  return true;
}

static void mark_loop(Program *program, int first, int last) {
  for (int i = first; i <= last; i++) {
    if (!only_looks(&program->insn[i])) return;
  }
  for (int i = first; i <= last; i++) {
    Insn *insn = &program->insn[i];
    if (insn_accesses(insn) && text_begins_with(insn->statement->opcode, "ld.volatile") &&
        stays(program, first, last, insn))
      insn->memory.spins = true;
  }
}

static void mark_flags(Program *program, const FunctionCode *code) {
  enum { MOST = 32 };
  for (int i = code->entry; i < code->end; i++) {
    const Insn *insn = &program->insn[i];
    if (insn->kind != INSN_BRANCH || insn->branch.count != 1) continue;
    const int target = insn->branch.targets[0];
    if (target <= i && i - target < MOST) mark_loop(program, target, i);
  }
}

/* --- tests --- */

/* How a register is used; counts stop at 2, which means two or more. */
typedef struct {
  uint8_t writes, reads, compares;
  int writer; /* index of the statement */
} Use;

static void count(uint8_t *n) { *n = (uint8_t)(*n < 2 ? *n + 1 : 2); }

static void count_uses(const Operand *o, bool reads, int statement, bool compares, Use *use) {
  if (o->kind == OPERAND_REG && !reads) {
    count(&use[o->slot].writes);
    use[o->slot].writer = statement;
  } else if (o->kind == OPERAND_REG) {
    count(&use[o->slot].reads);
    if (compares) count(&use[o->slot].compares);
  }
  for (int i = 0; i < o->items; i++)
    count_uses(&o->item[i], reads || o->kind == OPERAND_MEMORY, statement, compares, use);
}

static Use *find_uses(Arena *arena, const Function *f) {
  Use *use = ARENA_ARRAY(arena, Use, (size_t)f->slots + 1);
  for (int i = 0; i < f->statements; i++) {
    const Statement *s = &f->statement[i];
    const bool only_reads = text_begins_with(s->opcode, "st") || text_begins_with(s->opcode, "red");
    for (int k = 0; k < s->operands; k++)
      count_uses(&s->operand[k], k > 0 || only_reads, i, text_begins_with(s->opcode, "setp."), use);
  }
  return use;
}

/* The only statement that writes the register, or NULL. */
static const Statement *writer_of(const Function *f, const Use *use, const Operand *o) {
  const bool once = o->kind == OPERAND_REG && use[o->slot].writes == 1;
  return once ? &f->statement[use[o->slot].writer] : NULL;
}

/* True if all threads of a launch have the same value in it: it is computed from constants and
 * parameters. */
static bool is_same_for_all(const Function *f, const Use *use, const Operand *o, int depth) {
  if (o->kind == OPERAND_INT || o->kind == OPERAND_F32 || o->kind == OPERAND_F64) return true;
  const Statement *s = depth ? writer_of(f, use, o) : NULL;
  if (!s || s->guard) return false;
  if (text_begins_with(s->opcode, "ld.param")) return true;
  if (!text_begins_with(s->opcode, "mov") && !text_begins_with(s->opcode, "add") &&
      !text_begins_with(s->opcode, "sub") && !text_begins_with(s->opcode, "cvt"))
    return false;
  for (int i = 1; i < s->operands; i++)
    if (!is_same_for_all(f, use, &s->operand[i], depth - 1)) return false;
  return true;
}

/* An address in the form register + constant, where the register is written once; slot -1 if it has
 * no such form. */
typedef struct {
  int slot;
  uint64_t offset;
} Place;

static Place place_of(const Function *f, const Use *use, const Operand *address) {
  const Operand *base = &address->item[0];
  Place p = {-1, address->value};
  const Statement *s = writer_of(f, use, base);
  for (int i = 0; s && i < DEPTH && text_begins_with(s->opcode, "add") && s->operands == 3; i++) {
    if (s->guard || s->operand[1].kind != OPERAND_REG || s->operand[2].kind != OPERAND_INT) break;
    p.offset += s->operand[2].value;
    base = &s->operand[1];
    s = writer_of(f, use, base);
  }
  if (s) p.slot = base->slot;
  return p;
}

static bool is_same_place(const Function *f, const Use *use, const Insn *load, const Insn *store) {
  const MemoryOp *a = &load->memory, *b = &store->memory;
  const Place x = place_of(f, use, &load->statement->operand[1]);
  const Place y = place_of(f, use, &store->statement->operand[0]);
  return x.slot >= 0 && x.slot == y.slot && x.offset == y.offset && a->space == b->space &&
         a->bytes == b->bytes && a->elements == 1 && b->elements == 1;
}

static bool is_memory(const Insn *insn, const char *name, int address) {
  const Statement *s = insn->statement;
  return insn->kind == INSN_ACCESS && text_begins_with(s->opcode, name) &&
         s->operand[address].kind == OPERAND_MEMORY && s->operand[!address].kind != OPERAND_VECTOR;
}

/* The index of the store that the load at `at` decides, or 0. */
static int tested_store(const Program *program, const FunctionCode *code, const Use *use, int at) {
  enum { MOST = 24 };
  const Function *f = code->source;
  const Insn *load = &program->insn[at];
  int pred = -1;
  bool decided = false;
  for (int i = at + 1; i < code->end && i < at + MOST; i++) {
    const Insn *insn = &program->insn[i];
    const Statement *s = insn->statement;
    if (text_begins_with(s->opcode, "setp.") && s->operands > 1 &&
        s->operand[1].kind == OPERAND_REG &&
        s->operand[1].slot == load->statement->operand[0].slot &&
        s->operand[0].kind == OPERAND_PRED)
      pred = s->operand[0].slot;
    decided |= pred >= 0 && s->guard && s->guard->slot == pred;
    if (decided && is_memory(insn, "st", 0) && is_same_place(f, use, load, insn))
      return is_same_for_all(f, use, &s->operand[1], DEPTH) ? i : 0;
  }
  return 0;
}

static void mark_tests(Arena *arena, Program *program, const FunctionCode *code) {
  const Use *use = find_uses(arena, code->source);
  for (int i = code->entry; i < code->end; i++) {
    Insn *insn = &program->insn[i];
    if (!is_memory(insn, "ld", 1)) continue;
    const Operand *to = &insn->statement->operand[0];
    if (to->kind != OPERAND_REG) continue;
    const Use *u = &use[to->slot];
    if (u->writes == 1 && u->reads == 1 && u->compares == 1)
      insn->memory.sets = tested_store(program, code, use, i);
  }
}

/* --- structures --- */

/* True if load b continues where load a ends, except for padding for its alignment. */
static bool goes_on(const Program *program, const Insn *a, const Insn *b) {
  enum { MOST_ALIGN = 16 };
  const MemoryOp *x = &a->memory, *y = &b->memory;
  if (b->kind != INSN_ACCESS || !text_begins_with(b->statement->opcode, "ld")) return false;
  const int64_t end = x->offset + x->bytes * x->elements;
  return x->base == y->base && x->space == y->space && y->offset >= end &&
         y->offset - end < MOST_ALIGN &&
         insn_source(program, a).line == insn_source(program, b).line;
}

/* Records, for each load of instructions [first, last], how many bytes of the copy precede and
 * follow its own. */
static void mark_run(Program *program, int first, int last) {
  const MemoryOp *end = &program->insn[last].memory;
  const int64_t from = program->insn[first].memory.offset;
  const int64_t to = end->offset + end->bytes * end->elements;
  for (int i = first; i <= last && to - from <= UINT8_MAX; i++) {
    MemoryOp *op = &program->insn[i].memory;
    op->before = (uint8_t)(op->offset - from);
    op->after = (uint8_t)(to - op->offset - op->bytes * op->elements);
  }
}

static void mark_copies(Program *program, const FunctionCode *code) {
  for (int i = code->entry, last; i < code->end; i = last + 1) {
    const Insn *insn = program->insn;
    last = i;
    if (insn[i].kind != INSN_ACCESS || !text_begins_with(insn[i].statement->opcode, "ld")) continue;
    while (last + 1 < code->end && goes_on(program, &insn[last], &insn[last + 1])) last++;
    if (last > i) mark_run(program, i, last);
  }
}

void loads_classify(Arena *arena, Program *program, const FunctionCode *code) {
  mark_guesses(arena, program, code);
  mark_flags(program, code);
  mark_copies(program, code);
  mark_tests(arena, program, code);
}
