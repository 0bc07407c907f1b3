/* SPDX-License-Identifier: MIT */
/* op_warp.h: the warp-wide instructions shfl, vote, match, redux, activemask, elect and
 * bar.warp.sync. */
#ifndef KGEN_EMU_OP_OP_WARP_H
#define KGEN_EMU_OP_OP_WARP_H

#include "emu/code/decode.h"

void decode_shfl(Decoder *d);
void decode_vote(Decoder *d);
void decode_match(Decoder *d);
void decode_redux(Decoder *d);
void decode_activemask(Decoder *d);
void decode_elect(Decoder *d);
/* bar.warp.sync */
void decode_warp_barrier(Decoder *d);

#endif
