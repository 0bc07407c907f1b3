#include "emu/memory/heap.h"

#include <pthread.h>

enum { UNIT = 16, UNITS = 1 << 19, CLASSES = 20, FREED = 0x80 };

struct Heap {
  pthread_mutex_t lock;
  uint64_t base;
  uint32_t used;          /* units ever handed out */
  uint32_t free[CLASSES]; /* by size: the first free block's unit + 1 */
  uint8_t *kind;          /* by unit: 0, or its block's size + 1, and FREED */
  uint32_t *next;         /* by unit: the next free block's unit + 1 */
};

Heap *heap_new(Arena *arena, EmuMemory *memory, const void *owner) {
  Heap *heap = ARENA_NEW(arena, Heap);
  heap->base = memory_alloc(memory, (uint64_t)UNITS * UNIT, "device heap", owner);
  if (!heap->base) return NULL;
  heap->kind = ARENA_ARRAY(arena, uint8_t, UNITS);
  heap->next = ARENA_ARRAY(arena, uint32_t, UNITS);
  pthread_mutex_init(&heap->lock, NULL);
  return heap;
}

uint64_t heap_base(const Heap *heap) { return heap ? heap->base : 0; }

void heap_close(Heap *heap) {
  if (heap) pthread_mutex_destroy(&heap->lock);
}

/* The block's address, or 0. */
static uint64_t take(Heap *heap, uint64_t bytes) {
  uint32_t order = 0;
  while (order < CLASSES && (uint64_t)UNIT << order < bytes) order++;
  if (!bytes || order == CLASSES) return 0;
  uint32_t at = heap->used;
  if (heap->free[order]) {
    at = heap->free[order] - 1;
    heap->free[order] = heap->next[at];
  } else if (UNITS - heap->used >= 1u << order) {
    heap->used += 1u << order;
  } else {
    return 0;
  }
  heap->kind[at] = (uint8_t)(order + 1);
  return heap->base + (uint64_t)at * UNIT;
}

/* False if no block begins there, or it is free already. */
static bool give_back(Heap *heap, uint64_t address) {
  const uint64_t at = (address - heap->base) / UNIT;
  if (address < heap->base || address % UNIT || at >= UNITS) return false;
  if (!heap->kind[at] || (heap->kind[at] & FREED)) return false;
  const int order = heap->kind[at] - 1;
  heap->kind[at] |= FREED;
  heap->next[at] = heap->free[order];
  heap->free[order] = (uint32_t)at + 1;
  return true;
}

uint64_t heap_take(Heap *heap, uint64_t bytes) {
  pthread_mutex_lock(&heap->lock);
  const uint64_t address = take(heap, bytes);
  pthread_mutex_unlock(&heap->lock);
  return address;
}

bool heap_give_back(Heap *heap, uint64_t address) {
  pthread_mutex_lock(&heap->lock);
  const bool given = give_back(heap, address);
  pthread_mutex_unlock(&heap->lock);
  return given;
}
