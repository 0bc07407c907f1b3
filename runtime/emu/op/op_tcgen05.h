/* SPDX-License-Identifier: MIT */
/* op_tcgen05.h: tcgen05, the tensor cores and the tensor memory of sm_100. By the ISA, not
 * measured. */
#ifndef KGEN_EMU_OP_OP_TCGEN05_H
#define KGEN_EMU_OP_OP_TCGEN05_H

#include "emu/code/decode.h"

void decode_tcgen05(Decoder *d);

#endif
