/* SPDX-License-Identifier: MIT */
/* op_wide.h: registers of 128 bits, which are two of 64: mov, exchange, compare-and-swap. ld and st
 * treat them as vectors of two. */
#ifndef KGEN_EMU_OP_OP_WIDE_H
#define KGEN_EMU_OP_OP_WIDE_H

#include "emu/code/decode.h"

/* mov.b128; atom.exch.b128 and atom.cas.b128. */
void decode_mov_wide(Decoder *d);
void decode_atomic_wide(Decoder *d);

#endif
