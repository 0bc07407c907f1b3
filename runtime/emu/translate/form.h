/* form.h: which function of prelude_values.h computes what an opcode says. */
#ifndef KGEN_EMU_TRANSLATE_FORM_H
#define KGEN_EMU_TRANSLATE_FORM_H

#include "base/text.h"
#include "emu/code/code.h"

/* How `shape` names operands, the result first: i 32 bits, l 64 bits, f 32 bits of a float, p a
 * predicate, k and w numbers of 8 and of 16 bits that the text must hold. */
typedef struct {
  const char *function, *shape;
  bool flush, saturate; /* .ftz and .sat of floats */
} Form;

/* Row i of the table of those that are no comparisons: opcodes apart by blanks; false behind the
 * last. */
bool form_row(int i, const char **opcodes, const char **shape);

/* False where the interpreter's own function is called. setp's result is a set of lanes: shape
 * "piiT". */
bool form_find(Arena *a, const Insn *insn, Form *out);

#endif
