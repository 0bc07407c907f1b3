/* SPDX-License-Identifier: MIT */
/* heap.h: the device heap for malloc in kernels, shared by all modules. Blocks are multiples of 16
 * bytes and followed by a gap, so that an overrun does not reach the next block; adjacent free
 * blocks are merged. Even kernels that never allocate need the heap, because every virtual
 * destructor calls free(). */
#ifndef KGEN_EMU_MEMORY_HEAP_H
#define KGEN_EMU_MEMORY_HEAP_H

#include "emu/memory/memory.h"

/* The memory's heap, which is created on the first call; NULL when out of memory. Must not be
 * called while a launch runs. */
Heap *heap_of(EmuMemory *memory);
/* The address of the buffer that contains the heap; 0 if the heap is NULL. */
uint64_t heap_base(const Heap *heap);
/* The source location of an allocation. */
typedef struct {
  const char *kernel, *file; /* NULL if unknown */
  int line, ptx_line;
} HeapPlace;

/* Allocates a block of at least `bytes` bytes; returns its address, or 0. Thread-safe. place NULL:
 * allocated by the runtime, not by the kernel's code. */
uint64_t heap_take(Heap *heap, uint64_t bytes, const HeapPlace *place);
/* False if no block starts at the address, or if it is free already. */
bool heap_give_back(Heap *heap, uint64_t address);

/* A block, with the size that was requested. */
typedef struct {
  uint64_t base, bytes; /* bytes == 0: none */
} HeapBlock;

/* The block that contains the address, itself or in its gap. */
HeapBlock heap_block(Heap *heap, uint64_t address);
/* Returns the lanes whose `bytes` bytes are in the heap but not within one block. */
uint32_t heap_outside(Heap *heap, const uint64_t *address, uint32_t lanes, uint64_t bytes);
/* Describes such an address for a finding. */
enum { HEAP_TEXT = 128 };
void heap_describe(Heap *heap, uint64_t address, char out[HEAP_TEXT]);

#endif
