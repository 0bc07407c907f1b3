/* SPDX-License-Identifier: MIT */
/* op_stack.h: alloca, stacksave and stackrestore, for local memory that a function allocates as it
 * runs. */
#ifndef KGEN_EMU_OP_OP_STACK_H
#define KGEN_EMU_OP_OP_STACK_H

#include "emu/code/decode.h"
#include "emu/run/state/block.h"

/* The bytes that a function can allocate in all, for each thread. */
enum { STACK_BYTES = 16 << 10 };

void decode_alloca(Decoder *d);
void decode_stacksave(Decoder *d);
void decode_stackrestore(Decoder *d);

/* Lanes enter a function: nothing is allocated yet. */
void stack_enter(Warp *w, const FunctionCode *f, uint32_t lanes);

#endif
