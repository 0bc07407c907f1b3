/* heap.h: the device's heap, from which kernels allocate. */
#ifndef KGEN_EMU_HEAP_H
#define KGEN_EMU_HEAP_H

#include "base/text.h"
#include "emu/run/memory.h"

typedef struct Heap Heap;

/* An empty heap of 8 MiB, CUDA's default, in a buffer of `owner`; NULL when out of memory. */
Heap *heap_new(Arena *arena, EmuMemory *memory, const void *owner);
void heap_close(Heap *heap);

#endif
