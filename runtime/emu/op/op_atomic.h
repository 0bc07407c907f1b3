/* SPDX-License-Identifier: MIT */
/* op_atomic.h: atom and red. */
#ifndef KGEN_EMU_OP_OP_ATOMIC_H
#define KGEN_EMU_OP_OP_ATOMIC_H

#include "emu/code/decode.h"
#include "emu/run/state/bulk_copy.h"

void decode_atomic(Decoder *d);
/* Takes the modifier that names the operation, such as .add: a number for atomic_reduce; -1 if
 * there is none. */
int atomic_take_op(Decoder *d);
/* How a bulk copy or a surface reduces elements of a type by that operation; NULL if it cannot.
 * Sums of f32 flush subnormals or do not. */
const FlightReduce *atomic_reduce(Decoder *d, int op, ArithType type, bool flushes);

#endif
