/*
 * heap.h: the device's heap for malloc in kernels, which all modules share. Blocks are multiples of
 * 16 bytes, with a gap behind them, so that an access beyond one meets no other; neighbours that
 * are free become one block. Even kernels that never allocate need this, since the code of every
 * virtual destructor calls free().
 */
#ifndef KGEN_EMU_MEMORY_HEAP_H
#define KGEN_EMU_MEMORY_HEAP_H

#include "emu/memory/memory.h"

/* The memory's heap, which is made now if there is none yet; NULL when out of memory. Not while a
 * launch runs. */
Heap *heap_of(EmuMemory *memory);
/* The address of the buffer that it lies in; 0 if the heap is NULL. */
uint64_t heap_base(const Heap *heap);
/* Where a kernel asks for a block. */
typedef struct {
  const char *kernel, *file; /* the file: NULL where there is none */
  int line, ptx_line;
} HeapPlace;

/* The address of a new block of at least `bytes`, or 0. Host threads may call at the same time.
 * Without a place it is none of the kernel's own. */
uint64_t heap_take(Heap *heap, uint64_t bytes, const HeapPlace *place);
/* False if no block begins at the address, or it is free already. */
bool heap_give_back(Heap *heap, uint64_t address);

/* A block as it was asked for. */
typedef struct {
  uint64_t base, bytes; /* bytes 0: there is none */
} HeapBlock;

/* The block that holds the address, or in whose gap it lies. */
HeapBlock heap_block(Heap *heap, uint64_t address);
/* Of the lanes those whose `bytes` bytes are in the heap, but not within one block. */
uint32_t heap_outside(Heap *heap, const uint64_t *address, uint32_t lanes, uint64_t bytes);
/* Where such an address is, for findings. */
enum { HEAP_TEXT = 128 };
void heap_describe(Heap *heap, uint64_t address, char out[HEAP_TEXT]);

#endif
