/* op_atomic.h: atom and red. */
#ifndef KGEN_EMU_OP_ATOMIC_H
#define KGEN_EMU_OP_ATOMIC_H

#include "emu/code/decode.h"
#include "emu/run/bulk_copy.h"

void decode_atomic(Decoder *d);
/* The opcode's modifier for the reduction, such as .add, or -1. */
int atomic_take_op(Decoder *d);
/* The instruction by which a bulk copy reduces elements of a type; NULL if there is none. */
const FlightReduce *atomic_reduce(Decoder *d, int op, ArithType type);

#endif
