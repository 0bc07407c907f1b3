/*
 * heap.h: the device's heap for malloc in kernels, which all modules share. Blocks are multiples of
 * 16 bytes; neighbours that are free become one block. Even kernels that never allocate need this,
 * since the code of every virtual destructor calls free().
 */
#ifndef KGEN_EMU_HEAP_H
#define KGEN_EMU_HEAP_H

#include "emu/memory/memory.h"

/* The memory's heap, which is made now if there is none yet; NULL when out of memory. Not while a
 * launch runs. */
Heap *heap_of(EmuMemory *memory);
/* The address of the buffer that it lies in; 0 if the heap is NULL. */
uint64_t heap_base(const Heap *heap);
/* The address of a new block of at least `bytes`, or 0. Host threads may call at the same time. */
uint64_t heap_take(Heap *heap, uint64_t bytes);
/* False if no block begins at the address, or it is free already. */
bool heap_give_back(Heap *heap, uint64_t address);

#endif
