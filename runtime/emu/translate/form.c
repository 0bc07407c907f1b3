/* SPDX-License-Identifier: MIT */
#include "emu/translate/form.h"

#include "emu/arith/arith_resolve.h"

static char letter(ArithType type) {
  if (type == ARITH_PRED) return 'p';
  if (type == ARITH_F32) return 'f';
  return arith_bits(type) == 64 ? 'l' : 'i';
}

static void set_shape(const ArithInsn *insn, Form *out) {
  char *to = out->shape;
  *to++ = letter((ArithType)insn->dst);
  for (int i = 0; i < insn->n_src; i++)
    *to++ = insn->row->shape[i + 1] == 'k' ? 'k' : letter((ArithType)insn->src[i]);
  if (insn->takes_mask && insn->result != ARITH_MASK) *to++ = 'p';
  *to = '\0';
}

/* The name of the type that the operand with that letter has in the row's shape. */
static const char *type_name(const ArithInsn *insn, char of) {
  const long at = strchr(insn->row->shape, of) - insn->row->shape;
  return arith_type_name((ArithType)(at ? insn->src[at - 1] : insn->dst));
}

/* The name of the function; NULL if the row's pattern names a rounding that the opcode lacks. */
static const char *function_name(Arena *a, const ArithInsn *insn) {
  Text name = text_new(a);
  for (const char *c = insn->row->native; *c; c++) {
    if (*c != '%') {
      text_printf(&name, "%c", *c);
      continue;
    }
    const char *word = "";
    switch (*++c) {
    case 't':
    case 's': word = type_name(insn, *c); break;
    case 'c': word = arith_compare_name((ArithCompare)insn->compare); break;
    case 'r': word = arith_round_name((ArithRound)insn->round); break;
    case 'z': word = insn->flags & ARITH_FTZ ? "ftz_" : ""; break;
    }
    if (!word) return NULL;
    text_puts(&name, word);
  }
  return name.s;
}

/* The translator's functions know one rounding, unless their names have it. */
static bool rounds_like_row(const ArithInsn *insn) {
  const uint32_t rounds = insn->row->rounds;
  return insn->round == ARITH_ROUND_NONE || insn->round == ARITH_RN ||
         strstr(insn->row->native, "%r") || (rounds & (rounds - 1)) == 0;
}

bool form_find(Arena *a, const ArithInsn *insn, Form *out) {
  const ArithRow *row = insn->row;
  const uint32_t around = ARITH_FTZ | ARITH_SAT, applied = insn->flags & around & ~row->must;
  if (!row->native || insn->result == ARITH_VALUE_AND_MASK || !rounds_like_row(insn)) return false;
  if (insn->flags & ~(row->must | around) || insn->mode) return false;
  set_shape(insn, out);
  if (applied && (insn->src[0] != ARITH_F32 || !strchr("fp", out->shape[0]))) return false;
  out->flush = applied & ARITH_FTZ;
  out->saturate = applied & ARITH_SAT;
  out->function = function_name(a, insn);
  return out->function != NULL;
}
