/* SPDX-License-Identifier: MIT */
/* tcgen05_transfer.h: decodes tcgen05.ld and tcgen05.st, whose opcode's words up to these are
 * taken. */
#ifndef KGEN_EMU_OP_TCGEN05_TRANSFER_H
#define KGEN_EMU_OP_TCGEN05_TRANSFER_H

#include "emu/code/decode.h"

void tcgen05_decode_transfer(Decoder *d, bool stores);

#endif
