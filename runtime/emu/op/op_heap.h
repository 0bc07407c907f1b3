/* SPDX-License-Identifier: MIT */
/* op_heap.h: malloc and free of kernels, functions of the device runtime. */
#ifndef KGEN_EMU_OP_OP_HEAP_H
#define KGEN_EMU_OP_OP_HEAP_H

#include "emu/memory/heap.h"
#include "emu/run/state/block.h"

/* What the heap records of an instruction that asks for a block. */
HeapPlace heap_place(const Warp *w, const Insn *insn);
Flow exec_malloc(Warp *w, const Insn *insn, uint32_t active);
Flow exec_free(Warp *w, const Insn *insn, uint32_t active);

#endif
