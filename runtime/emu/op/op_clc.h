/* SPDX-License-Identifier: MIT */
/* op_clc.h: clusterlaunchcontrol (sm_100): a cluster takes over the work of one that has not begun.
 * By the ISA, not measured. */
#ifndef KGEN_EMU_OP_OP_CLC_H
#define KGEN_EMU_OP_OP_CLC_H

#include "emu/code/decode.h"

void decode_cluster_control(Decoder *d);

#endif
