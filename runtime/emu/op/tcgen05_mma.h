/* SPDX-License-Identifier: MIT */
/* tcgen05_mma.h: decodes tcgen05.mma, whose opcode's words up to this are taken. */
#ifndef KGEN_EMU_OP_TCGEN05_MMA_H
#define KGEN_EMU_OP_TCGEN05_MMA_H

#include "emu/code/decode.h"

void tcgen05_decode_mma(Decoder *d);

#endif
