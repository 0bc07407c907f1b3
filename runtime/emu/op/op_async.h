/* SPDX-License-Identifier: MIT */
/* op_async.h: cp.async. */
#ifndef KGEN_EMU_OP_OP_ASYNC_H
#define KGEN_EMU_OP_OP_ASYNC_H

#include "emu/code/decode.h"

void decode_cp_async(Decoder *d);

#endif
