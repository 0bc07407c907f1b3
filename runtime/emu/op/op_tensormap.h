/* op_tensormap.h: tensormap.replace and tensormap.cp_fenceproxy: kernels that change tensor maps.
 */
#ifndef KGEN_EMU_OP_TENSORMAP_H
#define KGEN_EMU_OP_TENSORMAP_H

#include "emu/code/decode.h"

void decode_tensormap(Decoder *d);

#endif
