/* SPDX-License-Identifier: MIT */
/* form.h: the function of prelude_values.h that computes an instruction, from its row. */
#ifndef KGEN_EMU_TRANSLATE_FORM_H
#define KGEN_EMU_TRANSLATE_FORM_H

#include "base/text.h"
#include "emu/code/code.h"

enum { FORM_OPERANDS = 8 };

/* `shape` describes the operands, result first: i 32 bits, l 64 bits, f a 32-bit float, p a
 * predicate, k a constant of 32 bits. setp's result is a set of lanes. */
typedef struct {
  const char *function;
  char shape[FORM_OPERANDS];
  bool flush, saturate; /* .ftz and .sat of f32 */
} Form;

/* False if the interpreter's own function must be called. */
bool form_find(Arena *a, const ArithInsn *insn, Form *out);

#endif
