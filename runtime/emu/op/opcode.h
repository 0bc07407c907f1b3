/* SPDX-License-Identifier: MIT */
/* opcode.h: the table of opcodes. */
#ifndef KGEN_EMU_OP_OPCODE_H
#define KGEN_EMU_OP_OPCODE_H

#include <stddef.h>

#include "emu/code/decode.h"

/* One form of an instruction: how it is written, decoded and documented. Arithmetic has rows of its
 * own (arith/arith_row.h). */
typedef struct {
  const char *name;
  const char *form; /* its modifiers (modifiers.h); NULL: the decoder takes them from the opcode */
  void (*decode)(Decoder *d);
  const char *operands, *what; /* for the documentation */
} Opcode;

const Opcode *opcode_rows(size_t *count);

/* Decodes the decoder's statement by its row, or reports it as unsupported. */
void opcode_decode(Decoder *d);

#endif
