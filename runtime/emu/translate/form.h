/* form.h: selects the function of prelude_values.h that computes an opcode. */
#ifndef KGEN_EMU_TRANSLATE_FORM_H
#define KGEN_EMU_TRANSLATE_FORM_H

#include "base/text.h"
#include "emu/code/code.h"

/* `shape` describes the operands, result first: i 32 bits, l 64 bits, f a 32-bit float, p a
 * predicate, k and w constants of 8 and 16 bits. */
typedef struct {
  const char *function, *shape;
  bool flush, saturate; /* .ftz and .sat of floats */
} Form;

/* Row i of the table, without comparisons; its opcodes are separated by blanks. False after the
 * last row. */
bool form_row(int i, const char **opcodes, const char **shape);

/* False if the interpreter's own function must be called. setp's result is a set of lanes: shape
 * "piiT". */
bool form_find(Arena *a, const Insn *insn, Form *out);

#endif
