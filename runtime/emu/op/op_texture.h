/* SPDX-License-Identifier: MIT */
/* op_texture.h: tex and tld4. */
#ifndef KGEN_EMU_OP_OP_TEXTURE_H
#define KGEN_EMU_OP_OP_TEXTURE_H

#include "emu/code/decode.h"

void decode_tex(Decoder *d);
void decode_tld4(Decoder *d);

#endif
