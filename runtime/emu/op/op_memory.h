/* SPDX-License-Identifier: MIT */
/* op_memory.h: ld and st. */
#ifndef KGEN_EMU_OP_OP_MEMORY_H
#define KGEN_EMU_OP_OP_MEMORY_H

#include "emu/code/decode.h"

void decode_load(Decoder *d);
void decode_store(Decoder *d);

#endif
