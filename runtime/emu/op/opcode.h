/* opcode.h: the table of opcodes. */
#ifndef KGEN_EMU_OP_OPCODE_H
#define KGEN_EMU_OP_OPCODE_H

#include "emu/code/decode.h"

/* Decodes the decoder's statement by the family of its opcode, or reports it as unsupported. */
void opcode_decode(Decoder *d);

#endif
