/* SPDX-License-Identifier: MIT */
/* op_wgmma.h: the instructions of warpgroups: wgmma and setmaxnreg. */
#ifndef KGEN_EMU_OP_OP_WGMMA_H
#define KGEN_EMU_OP_OP_WGMMA_H

#include "emu/code/decode.h"

void decode_wgmma(Decoder *d);
void decode_setmaxnreg(Decoder *d);

#endif
