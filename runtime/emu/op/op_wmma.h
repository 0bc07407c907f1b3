/* SPDX-License-Identifier: MIT */
/* op_wmma.h: wmma.load, wmma.store and wmma.mma. */
#ifndef KGEN_EMU_OP_OP_WMMA_H
#define KGEN_EMU_OP_OP_WMMA_H

#include "emu/code/decode.h"

void decode_wmma(Decoder *d);

#endif
