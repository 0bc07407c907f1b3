/* op_heap.h: malloc and free of kernels, functions of the device runtime. */
#ifndef KGEN_EMU_OP_HEAP_H
#define KGEN_EMU_OP_HEAP_H

#include "emu/run/block.h"

Flow exec_malloc(Warp *w, const Insn *insn, uint32_t active);
Flow exec_free(Warp *w, const Insn *insn, uint32_t active);

#endif
