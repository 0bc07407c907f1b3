/* SPDX-License-Identifier: MIT */
/* op_mbarrier.h: mbarrier, and cp.async.mbarrier.arrive. */
#ifndef KGEN_EMU_OP_OP_MBARRIER_H
#define KGEN_EMU_OP_OP_MBARRIER_H

#include "emu/code/decode.h"

void decode_mbarrier(Decoder *d);

#endif
