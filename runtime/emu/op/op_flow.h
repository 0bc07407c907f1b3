/* SPDX-License-Identifier: MIT */
/* op_flow.h: branches, calls, and the ends of threads. */
#ifndef KGEN_EMU_OP_OP_FLOW_H
#define KGEN_EMU_OP_OP_FLOW_H

#include "emu/code/decode.h"

void decode_branch(Decoder *d);
void decode_branch_table(Decoder *d);
void decode_call(Decoder *d);
void decode_return(Decoder *d);
void decode_exit(Decoder *d);
void decode_trap(Decoder *d);

#endif
