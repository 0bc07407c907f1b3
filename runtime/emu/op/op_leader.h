/* SPDX-License-Identifier: MIT */
/* op_leader.h: `and` with the mask that turns an address of shared memory into the same address in
 * the block of even rank of a pair (sm_100), as CUTLASS and others have it. */
#ifndef KGEN_EMU_OP_OP_LEADER_H
#define KGEN_EMU_OP_OP_LEADER_H

#include "emu/code/decode.h"

/* Decodes such an `and`; false if the statement is none. */
bool decode_leader(Decoder *d);

#endif
