#include "emu/memory/heap.h"

#include <pthread.h>
#include <stdlib.h>

enum { UNIT = 16, CLASSES = 32 };
#define DEFAULT_BYTES ((uint64_t)8 << 20) /* CUDA's */
#define USED          0x80000000u         /* the tags beside a block's size: it is allocated, */
#define BEGIN         0x40000000u         /* and this is its first unit */
#define SIZE          (BEGIN - 1)
#define MAX_BYTES     ((uint64_t)UNIT * SIZE)

/*
 * Units are numbered from 1; 0 is none. `size` holds a block's units at its first and its last one;
 * the units before the first and after the last count as used. Free blocks are listed by the
 * power of two that their size reaches.
 */
struct Heap {
  EmuMemory *memory;
  pthread_mutex_t lock;
  uint64_t base;
  uint32_t units, list[CLASSES];
  uint32_t *size, *next, *previous; /* by unit */
};

static int class_of(uint32_t size) { return 31 - __builtin_clz(size); }

static void mark(Heap *heap, uint32_t at, uint32_t size, uint32_t tags) {
  heap->size[at + size - 1] = size | (tags & USED);
  heap->size[at] = size | tags;
}

/* What lies inside of a block begins and ends no other one. */
static void clear(Heap *heap, uint32_t at, uint32_t size) {
  heap->size[at] = heap->size[at + size - 1] = 0;
}

/* --- lists of free blocks --- */

static void list_add(Heap *heap, uint32_t at, uint32_t size) {
  uint32_t *first = &heap->list[class_of(size)];
  mark(heap, at, size, 0);
  heap->next[at] = *first;
  heap->previous[at] = 0;
  if (*first) heap->previous[*first] = at;
  *first = at;
}

static void list_remove(Heap *heap, uint32_t at) {
  const uint32_t before = heap->previous[at], after = heap->next[at];
  if (after) heap->previous[after] = before;
  if (before)
    heap->next[before] = after;
  else
    heap->list[class_of(heap->size[at])] = after;
}

/* Any block of a higher class is large enough; of its own class, the first that is. */
static uint32_t find(const Heap *heap, uint32_t size) {
  const int own = class_of(size);
  uint32_t at = heap->list[own];
  while (at && heap->size[at] < size) at = heap->next[at];
  for (int c = own + 1; !at && c < CLASSES; c++) at = heap->list[c];
  return at;
}

/* --- blocks --- */

static uint64_t take(Heap *heap, uint64_t bytes) {
  if (!bytes || bytes > (uint64_t)heap->units * UNIT) return 0;
  const uint32_t size = (uint32_t)((bytes + UNIT - 1) / UNIT), at = find(heap, size);
  if (!at) return 0;
  const uint32_t rest = heap->size[at] - size;
  list_remove(heap, at);
  if (rest) list_add(heap, at + size, rest);
  mark(heap, at, size, USED | BEGIN);
  return heap->base + (uint64_t)(at - 1) * UNIT;
}

/* Takes the free block out of its list, to become part of another one. */
static uint32_t absorb(Heap *heap, uint32_t at, uint32_t size) {
  list_remove(heap, at);
  clear(heap, at, size);
  return size;
}

static bool give_back(Heap *heap, uint64_t address) {
  const uint64_t offset = address - heap->base;
  if (offset >= (uint64_t)heap->units * UNIT || offset % UNIT) return false;
  uint32_t at = (uint32_t)(offset / UNIT) + 1;
  if (!(heap->size[at] & BEGIN)) return false;
  uint32_t size = heap->size[at] & SIZE;
  clear(heap, at, size);
  const uint32_t before = heap->size[at - 1], after = heap->size[at + size];
  if (!(after & USED)) size += absorb(heap, at + size, after);
  if (!(before & USED)) size += absorb(heap, at -= before, before);
  list_add(heap, at, size);
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

/* --- the whole --- */

static void heap_free(Heap *heap) {
  free(heap->size);
  free(heap->next);
  free(heap->previous);
  pthread_mutex_destroy(&heap->lock);
  free(heap);
}

/* Units 0 and units + 1 are used by nobody and belong to no block. */
static bool open_units(Heap *heap, uint64_t bytes) {
  heap->units = (uint32_t)(bytes / UNIT);
  const size_t count = (size_t)heap->units + 2;
  heap->size = calloc(count, sizeof *heap->size);
  heap->next = calloc(count, sizeof *heap->next);
  heap->previous = calloc(count, sizeof *heap->previous);
  if (!heap->size || !heap->next || !heap->previous) return false;
  heap->size[0] = heap->size[heap->units + 1] = USED;
  list_add(heap, 1, heap->units);
  return true;
}

Heap *heap_of(EmuMemory *memory) {
  if (memory->heap) return memory->heap;
  const uint64_t wanted = memory->heap_bytes ? memory->heap_bytes : DEFAULT_BYTES;
  const uint64_t bytes = wanted < MAX_BYTES - UNIT ? wanted / UNIT * UNIT : MAX_BYTES - UNIT;
  Heap *heap = calloc(1, sizeof *heap);
  if (!heap) return NULL;
  pthread_mutex_init(&heap->lock, NULL);
  heap->base = memory_alloc(memory, bytes, "device heap", memory);
  if (!heap->base || !open_units(heap, bytes)) {
    heap_free(heap);
    return NULL;
  }
  memory->heap_free = heap_free;
  return memory->heap = heap;
}

uint64_t heap_base(const Heap *heap) { return heap ? heap->base : 0; }

bool emu_set_heap(EmuMemory *memory, uint64_t bytes) {
  if (memory->heap || bytes < UNIT) return false;
  memory->heap_bytes = bytes;
  return true;
}
