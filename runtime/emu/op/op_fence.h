/* SPDX-License-Identifier: MIT */
/* op_fence.h: membar and fence of every scope and kind. */
#ifndef KGEN_EMU_OP_OP_FENCE_H
#define KGEN_EMU_OP_OP_FENCE_H

#include "emu/code/decode.h"

void decode_fence(Decoder *d);

#endif
