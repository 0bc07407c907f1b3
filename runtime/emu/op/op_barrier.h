/* SPDX-License-Identifier: MIT */
/* op_barrier.h: bar and barrier, of the block and of the cluster. */
#ifndef KGEN_EMU_OP_OP_BARRIER_H
#define KGEN_EMU_OP_OP_BARRIER_H

#include "emu/code/decode.h"

void decode_barrier(Decoder *d);
void decode_cluster_barrier(Decoder *d);

#endif
