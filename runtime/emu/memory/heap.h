/*
 * heap.h: the device's heap for malloc in kernels. Blocks are powers of two of at least 16
 * bytes; freed blocks are kept in a list for each size. Even kernels that never allocate need
 * this, since the code of every virtual destructor calls free().
 */
#ifndef KGEN_EMU_HEAP_H
#define KGEN_EMU_HEAP_H

#include "base/text.h"
#include "emu/memory/memory.h"

typedef struct Heap Heap;

/* An empty heap of 8 MiB, CUDA's default, in a buffer of `owner`; NULL when out of memory. */
Heap *heap_new(Arena *arena, EmuMemory *memory, const void *owner);
void heap_close(Heap *heap);
/* The buffer's address; 0 if the heap is NULL. */
uint64_t heap_base(const Heap *heap);
/* The address of a new block of at least `bytes`, or 0. Host threads may call at the same time. */
uint64_t heap_take(Heap *heap, uint64_t bytes);
/* False if no block begins at the address, or it is free already. */
bool heap_give_back(Heap *heap, uint64_t address);

#endif
