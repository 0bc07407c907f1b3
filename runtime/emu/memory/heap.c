/* SPDX-License-Identifier: MIT */
#include "emu/memory/heap.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNIT = 16, CLASSES = 32 };
enum { GAP = 4, NO_PLACE = -1, MOST_PLACES = 64 }; /* units between blocks */
#define MOST_GAPS     ((uint64_t)256 << 20)        /* bytes for all gaps together */
#define DEFAULT_BYTES ((uint64_t)8 << 20)          /* CUDA's default */
#define USED          0x80000000u /* tags in the size word of a block: it is allocated, */
#define BEGIN         0x40000000u /* and the word belongs to its first unit */
#define SIZE          (BEGIN - 1)
#define MAX_BYTES     ((uint64_t)UNIT * SIZE)

/* Units are numbered from 1; 0 means none. `size` holds the number of units of a block, at its
 * first and its last unit; the units before the first block and after the last count as used. Free
 * blocks are in lists by the power of two of their size. In `first`, all units of a used block,
 * including its gap, refer to the block's first unit. */
struct Heap {
  pthread_mutex_t lock;
  /* `left`: bytes that kernels may still allocate, in whole units without gaps */
  uint64_t base, left;
  uint32_t units, list[CLASSES];
  uint32_t *size, *next, *previous; /* indexed by unit */
  uint32_t *first;                  /* indexed by unit; kept for freed blocks */
  uint64_t *bytes;                  /* indexed by first unit: bytes requested */
  int *place;                       /* and where they were requested, or NO_PLACE */
  int places;
  EmuHeapUse use[MOST_PLACES];
};

static int class_of(uint32_t size) { return 31 - __builtin_clz(size); }

static void mark(Heap *heap, uint32_t at, uint32_t size, uint32_t tags) {
  heap->size[at + size - 1] = size | (tags & USED);
  heap->size[at] = size | tags;
}

/* Clears the size words within a block, so that they cannot be taken for the ends of others. */
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

/* Every block of a higher class is large enough; within its own class, takes the first that is. */
static uint32_t find(const Heap *heap, uint32_t size) {
  const int own = class_of(size);
  uint32_t at = heap->list[own];
  while (at && heap->size[at] < size) at = heap->next[at];
  for (int c = own + 1; !at && c < CLASSES; c++) at = heap->list[c];
  return at;
}

/* --- allocation sites --- */

static char *copy_of(const char *text) { return text ? strdup(text) : NULL; }

static bool is_place(const EmuHeapUse *use, const HeapPlace *p) {
  const bool same_file =
      use->file && p->file ? strcmp(use->file, p->file) == 0 : use->file == p->file;
  return use->line == p->line && use->ptx_line == p->ptx_line && same_file &&
         strcmp(use->kernel, p->kernel) == 0;
}

/* If there are more sites than entries, the last entry is shared. */
static int place_of(Heap *heap, const HeapPlace *p) {
  if (!p) return NO_PLACE;
  for (int i = 0; i < heap->places; i++)
    if (is_place(&heap->use[i], p)) return i;
  if (heap->places == MOST_PLACES) return MOST_PLACES - 1;
  heap->use[heap->places] = (EmuHeapUse){.kernel = copy_of(p->kernel),
                                         .file = copy_of(p->file),
                                         .line = p->line,
                                         .ptx_line = p->ptx_line};
  return heap->use[heap->places].kernel ? heap->places++ : NO_PLACE;
}

/* --- blocks --- */

static uint64_t length(uint32_t size) { return (uint64_t)size * UNIT; }

/* The units that hold `bytes`, without the gap. */
static uint32_t units_of(uint64_t bytes) { return (uint32_t)((bytes + UNIT - 1) / UNIT); }

/* The heap does not move, so this needs no lock. */
static bool is_inside(const Heap *heap, uint64_t address) {
  return address - heap->base < length(heap->units);
}

/* Finds space for the block with as much of its gap as fits. */
static uint32_t find_with_gap(const Heap *heap, uint32_t *size) {
  const uint32_t at = find(heap, *size + GAP);
  if (!at) return find(heap, *size);
  *size += GAP;
  return at;
}

static uint64_t take(Heap *heap, uint64_t bytes, const HeapPlace *place) {
  if (!bytes || bytes > heap->left) return 0;
  const uint32_t asked = units_of(bytes);
  uint32_t size = asked, at = find_with_gap(heap, &size);
  if (!at) return 0;
  const uint32_t rest = heap->size[at] - size;
  list_remove(heap, at);
  if (rest) list_add(heap, at + size, rest);
  mark(heap, at, size, USED | BEGIN);
  for (uint32_t i = 0; i < size; i++) heap->first[at + i] = at;
  heap->left -= length(asked);
  heap->bytes[at] = bytes;
  heap->place[at] = place_of(heap, place);
  return heap->base + length(at - 1);
}

/* Removes a free block from its list, to merge it into another one. */
static uint32_t absorb(Heap *heap, uint32_t at, uint32_t size) {
  list_remove(heap, at);
  clear(heap, at, size);
  return size;
}

static bool give_back(Heap *heap, uint64_t address) {
  const uint64_t offset = address - heap->base;
  if (!is_inside(heap, address) || offset % UNIT) return false;
  uint32_t at = (uint32_t)(offset / UNIT) + 1;
  if (!(heap->size[at] & BEGIN)) return false;
  uint32_t size = heap->size[at] & SIZE;
  heap->left += length(units_of(heap->bytes[at]));
  clear(heap, at, size);
  const uint32_t before = heap->size[at - 1], after = heap->size[at + size];
  if (!(after & USED)) size += absorb(heap, at + size, after);
  if (!(before & USED)) size += absorb(heap, at -= before, before);
  list_add(heap, at, size);
  return true;
}

uint64_t heap_take(Heap *heap, uint64_t bytes, const HeapPlace *place) {
  pthread_mutex_lock(&heap->lock);
  const uint64_t address = take(heap, bytes, place);
  pthread_mutex_unlock(&heap->lock);
  return address;
}

bool heap_give_back(Heap *heap, uint64_t address) {
  pthread_mutex_lock(&heap->lock);
  const bool given = give_back(heap, address);
  pthread_mutex_unlock(&heap->lock);
  return given;
}

/* --- bounds --- */

static HeapBlock block_at(const Heap *heap, uint64_t address) {
  if (!is_inside(heap, address)) return (HeapBlock){0};
  const uint32_t unit = (uint32_t)((address - heap->base) / UNIT) + 1, at = heap->first[unit];
  if (!at || !(heap->size[at] & BEGIN) || unit - at >= (heap->size[at] & SIZE))
    return (HeapBlock){0};
  return (HeapBlock){heap->base + length(at - 1), heap->bytes[at]};
}

HeapBlock heap_block(Heap *heap, uint64_t address) {
  pthread_mutex_lock(&heap->lock);
  const HeapBlock block = block_at(heap, address);
  pthread_mutex_unlock(&heap->lock);
  return block;
}

bool emu_heap_block(const EmuMemory *memory, uint64_t address, EmuBuffer *out) {
  const Heap *heap = memory->heap;
  if (!heap || !is_inside(heap, address)) return false;
  const HeapBlock b = block_at(heap, address);
  *out = (EmuBuffer){.base = b.base, .bytes = address - b.base < b.bytes ? b.bytes : 0};
  return true;
}

/* True if the bytes at an address in the heap are outside every block, or in more than one. */
static bool is_outside(const Heap *heap, uint64_t address, uint64_t bytes) {
  const HeapBlock b = block_at(heap, address);
  return b.bytes < bytes || address - b.base > b.bytes - bytes;
}

uint32_t heap_outside(Heap *heap, const uint64_t *address, uint32_t lanes, uint64_t bytes) {
  uint32_t inside = 0, outside = 0;
  for (uint32_t rest = lanes; rest; rest &= rest - 1)
    inside |= is_inside(heap, address[__builtin_ctz(rest)]) ? rest & -rest : 0;
  if (!inside) return 0;
  pthread_mutex_lock(&heap->lock);
  for (uint32_t rest = inside; rest; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    outside |= (is_outside(heap, address[lane], bytes) ? 1u : 0) << lane;
  }
  pthread_mutex_unlock(&heap->lock);
  return outside;
}

void heap_describe(Heap *heap, uint64_t address, char out[HEAP_TEXT]) {
  const HeapBlock b = heap_block(heap, address);
  if (b.bytes)
    snprintf(out, HEAP_TEXT, "%llu bytes past the start of a block of %llu bytes of malloc",
             (unsigned long long)(address - b.base), (unsigned long long)b.bytes);
  else
    snprintf(out, HEAP_TEXT,
             "at 0x%llx in the device's heap: no block of malloc, or one that was freed",
             (unsigned long long)address);
}

/* --- allocation --- */

static uint32_t first_used(const Heap *heap, uint32_t from) {
  while (from <= heap->units && !(heap->size[from] & BEGIN)) from += heap->size[from] & SIZE;
  return from;
}

int emu_heap_uses(const EmuMemory *memory, EmuHeapUse *out, int most) {
  const Heap *heap = memory->heap;
  if (!heap) return 0;
  EmuHeapUse use[MOST_PLACES];
  memcpy(use, heap->use, sizeof use);
  for (uint32_t at = 1; (at = first_used(heap, at)) <= heap->units; at += heap->size[at] & SIZE) {
    if (heap->place[at] == NO_PLACE) continue;
    use[heap->place[at]].blocks++;
    use[heap->place[at]].bytes += heap->bytes[at];
  }
  int count = 0;
  for (int i = 0; i < heap->places; i++)
    if (use[i].blocks && count < most) out[count++] = use[i];
  return count;
}

void emu_heap_empty(EmuMemory *memory) {
  Heap *heap = memory->heap;
  for (uint32_t at; heap && (at = first_used(heap, 1)) <= heap->units;)
    heap_give_back(heap, heap->base + length(at - 1));
}

/* --- the heap --- */

static void heap_free(Heap *heap) {
  for (int i = 0; i < heap->places; i++) {
    free((char *)heap->use[i].kernel);
    free((char *)heap->use[i].file);
  }
  free(heap->size);
  free(heap->next);
  free(heap->previous);
  free(heap->first);
  free(heap->bytes);
  free(heap->place);
  pthread_mutex_destroy(&heap->lock);
  free(heap);
}

/* Units 0 and units + 1 count as used, but belong to no block. */
static bool open_units(Heap *heap, uint64_t bytes) {
  heap->units = (uint32_t)(bytes / UNIT);
  const size_t count = (size_t)heap->units + 2;
  heap->size = calloc(count, sizeof *heap->size);
  heap->next = calloc(count, sizeof *heap->next);
  heap->previous = calloc(count, sizeof *heap->previous);
  heap->first = calloc(count, sizeof *heap->first);
  heap->bytes = calloc(count, sizeof *heap->bytes);
  heap->place = calloc(count, sizeof *heap->place);
  if (!heap->size || !heap->next || !heap->previous || !heap->first || !heap->bytes || !heap->place)
    return false;
  heap->size[0] = heap->size[heap->units + 1] = USED;
  list_add(heap, 1, heap->units);
  return true;
}

Heap *heap_of(EmuMemory *memory) {
  if (memory->heap) return memory->heap;
  const uint64_t wanted = memory->heap_bytes ? memory->heap_bytes : DEFAULT_BYTES;
  const uint64_t gaps = wanted < MOST_GAPS / GAP ? wanted * GAP : MOST_GAPS;
  const uint64_t all = wanted + gaps;
  const uint64_t bytes = all < MAX_BYTES - UNIT ? all / UNIT * UNIT : MAX_BYTES - UNIT;
  Heap *heap = calloc(1, sizeof *heap);
  if (!heap) return NULL;
  pthread_mutex_init(&heap->lock, NULL);
  heap->base = memory_alloc(memory, bytes, "device heap", memory);
  if (!heap->base || !open_units(heap, bytes)) {
    heap_free(heap);
    return NULL;
  }
  heap->left = (wanted < bytes ? wanted : bytes) / UNIT * UNIT;
  memory->heap_free = heap_free;
  return memory->heap = heap;
}

uint64_t heap_base(const Heap *heap) { return heap ? heap->base : 0; }

bool emu_set_heap(EmuMemory *memory, uint64_t bytes) {
  if (memory->heap || bytes < UNIT) return false;
  memory->heap_bytes = bytes;
  return true;
}
