/*
 * First guesses: `old = *p; do old = atomicCAS(p, seen = old, f(seen)); while (old != seen);` is
 * how the CUDA Programming Guide makes an atomic operation of its own. The plain load may see
 * anything, as the compare-and-swap that takes its value for the comparand finds out: it races with
 * no atomic.
 */
#include <string.h>

#include "decode.h"

enum { PASSES = 4 }; /* of copies in a row whose order in the text is not theirs in time */

static bool starts_with(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* The comparands of the function's compare-and-swaps; false if there are none. */
static bool find_comparands(const Function *f, bool *guess) {
  bool any = false;
  for (int i = 0; i < f->statements; i++) {
    const Statement *s = &f->statement[i];
    if (!starts_with(s->opcode, "atom") || !strstr(s->opcode, ".cas")) continue;
    if (s->operands < 3 || s->operand[2].kind != OPERAND_REG) continue;
    guess[s->operand[2].slot] = any = true;
  }
  return any;
}

/* What a guess is a copy of is one, too; true if that is news. */
static bool follow_copies(const Function *f, bool *guess) {
  bool news = false;
  for (int i = f->statements; i-- > 0;) {
    const Statement *s = &f->statement[i];
    if (s->operands != 2 || !starts_with(s->opcode, "mov")) continue;
    const Operand *to = &s->operand[0], *from = &s->operand[1];
    if (to->kind != OPERAND_REG || from->kind != OPERAND_REG || !guess[to->slot]) continue;
    news |= !guess[from->slot];
    guess[from->slot] = true;
  }
  return news;
}

void guess_mark(Arena *arena, Program *program, const FunctionCode *code) {
  const Function *f = code->source;
  bool *guess = ARENA_ARRAY(arena, bool, (size_t)f->slots + 1);
  if (!find_comparands(f, guess)) return;
  for (int pass = 0; pass < PASSES && follow_copies(f, guess); pass++) {}
  for (int i = 0; i < f->statements; i++) {
    const Statement *s = &f->statement[i];
    if (!starts_with(s->opcode, "ld") || s->operand[0].kind != OPERAND_REG) continue;
    Insn *insn = &program->insn[code->entry + i];
    if (insn->has_site && guess[s->operand[0].slot]) insn->memory.guess = true;
  }
}
