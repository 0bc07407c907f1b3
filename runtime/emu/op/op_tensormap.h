/* SPDX-License-Identifier: MIT */
/* op_tensormap.h: tensormap.replace and .cp_fenceproxy, by which kernels change tensor maps. */
#ifndef KGEN_EMU_OP_OP_TENSORMAP_H
#define KGEN_EMU_OP_OP_TENSORMAP_H

#include "emu/code/decode.h"

void decode_tensormap(Decoder *d);

#endif
