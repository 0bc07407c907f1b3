/* SPDX-License-Identifier: MIT */
/* tcgen05_copy.h: decodes tcgen05.cp and tcgen05.shift, whose opcode's words up to these are taken.
 */
#ifndef KGEN_EMU_OP_TCGEN05_COPY_H
#define KGEN_EMU_OP_TCGEN05_COPY_H

#include "emu/code/decode.h"

void tcgen05_decode_copy(Decoder *d);
void tcgen05_decode_shift(Decoder *d);

#endif
