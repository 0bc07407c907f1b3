/*
 * malloc and free of kernels. Blocks are powers of two of at least 16 bytes; freed ones wait in a
 * list for the next of their size. That free() stands in every virtual destructor's code is why
 * even kernels that never allocate need this.
 */
#include <pthread.h>

#include "emu/code/decode.h"
#include "emu/run/heap.h"
#include "emu/run/worker.h"

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

void heap_close(Heap *heap) {
  if (heap) pthread_mutex_destroy(&heap->lock);
}

/* The block's address, or 0. */
static uint64_t take(Heap *heap, uint64_t bytes) {
  uint32_t class = 0;
  while (class < CLASSES && (uint64_t)UNIT << class < bytes) class ++;
  if (!bytes || class == CLASSES) return 0;
  uint32_t at = heap->used;
  if (heap->free[class]) {
    at = heap->free[class] - 1;
    heap->free[class] = heap->next[at];
  } else if (UNITS - heap->used >= 1u << class) {
    heap->used += 1u << class;
  } else {
    return 0;
  }
  heap->kind[at] = (uint8_t)(class + 1);
  return heap->base + (uint64_t)at * UNIT;
}

/* False if no block begins there, or it is free already. */
static bool give_back(Heap *heap, uint64_t address) {
  const uint64_t at = (address - heap->base) / UNIT;
  if (address < heap->base || address % UNIT || at >= UNITS) return false;
  if (!heap->kind[at] || (heap->kind[at] & FREED)) return false;
  const int class = heap->kind[at] - 1;
  heap->kind[at] |= FREED;
  heap->next[at] = heap->free[class];
  heap->free[class] = (uint32_t)at + 1;
  return true;
}

static uint64_t *param_of(const Warp *w, const Symbol *symbol) {
  return w->base[BANK_FRAME] + (size_t)symbol->slot * LANES;
}

Flow exec_malloc(Warp *w, const Insn *insn, uint32_t active) {
  Heap *heap = w->block->worker->launch->heap;
  const uint64_t *bytes = param_of(w, insn->call.arg[0]);
  uint64_t address[LANES];
  pthread_mutex_lock(&heap->lock);
  FOR_LANES(lane, active) address[lane] = take(heap, bytes[lane]);
  pthread_mutex_unlock(&heap->lock);
  for (int i = 0; i < insn->call.results; i++) {
    uint64_t *d = param_of(w, insn->call.result[i]);
    FOR_LANES(lane, active) d[lane] = address[lane];
  }
  return FLOW_NEXT;
}

Flow exec_free(Warp *w, const Insn *insn, uint32_t active) {
  Worker *worker = w->block->worker;
  Heap *heap = worker->launch->heap;
  const uint64_t *address = param_of(w, insn->call.arg[0]);
  pthread_mutex_lock(&heap->lock);
  FOR_LANES(lane, active) {
    if (!address[lane] || give_back(heap, address[lane])) continue;
    if (worker_find(worker, EMU_OUT_OF_BOUNDS, insn, warp_thread(w, lane), 1)) {
      worker_describe(worker, "free of 0x%llx, where no block of malloc begins or it was freed",
                      (unsigned long long)address[lane]);
    }
  }
  pthread_mutex_unlock(&heap->lock);
  return FLOW_NEXT;
}
