/* op_stack.h: alloca, stacksave and stackrestore: local memory that a function takes as it runs. */
#ifndef KGEN_EMU_OP_STACK_H
#define KGEN_EMU_OP_STACK_H

#include "emu/code/decode.h"
#include "emu/run/block.h"

/* What a function can take in all, of each thread. */
enum { STACK_BYTES = 16 << 10 };

void decode_alloca(Decoder *d);
void decode_stacksave(Decoder *d);
void decode_stackrestore(Decoder *d);

/* The lanes enter a function, and have taken nothing yet. */
void stack_enter(Warp *w, const FunctionCode *f, uint32_t lanes);

#endif
