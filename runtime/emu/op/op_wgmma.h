/* op_wgmma.h: wgmma, and setmaxnreg: what warpgroups do together. */
#ifndef KGEN_EMU_OP_WGMMA_H
#define KGEN_EMU_OP_WGMMA_H

#include "emu/code/decode.h"

void decode_wgmma(Decoder *d);
void decode_setmaxnreg(Decoder *d);

#endif
