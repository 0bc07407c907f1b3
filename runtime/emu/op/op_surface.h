/* SPDX-License-Identifier: MIT */
/* op_surface.h: suld, sust and sured. */
#ifndef KGEN_EMU_OP_OP_SURFACE_H
#define KGEN_EMU_OP_OP_SURFACE_H

#include "emu/code/decode.h"

void decode_suld(Decoder *d);
void decode_sust(Decoder *d);
void decode_sured(Decoder *d);

#endif
