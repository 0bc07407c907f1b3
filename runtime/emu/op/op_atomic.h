/* op_atomic.h: atom and red. */
#ifndef KGEN_EMU_OP_ATOMIC_H
#define KGEN_EMU_OP_ATOMIC_H

#include "emu/code/decode.h"

void decode_atomic(Decoder *d);

#endif
