#include "emu/memory/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Buffers are kept apart by more than an overrun usually spans, so that it meets no neighbour. */
enum { BUFFER_ALIGN = 256, BUFFER_GAP = 1 << 20 };
#define BUFFER_MASK ((uint64_t)BUFFER_ALIGN - 1)
#define MAX_BUFFER  (1ull << 40)
#define LAST_BASE   (1ull << 62) /* no sum of an address and a size wraps */

EmuMemory *emu_memory_new(void) {
  EmuMemory *memory = calloc(1, sizeof *memory);
  if (memory) memory->next = GLOBAL_BASE;
  return memory;
}

void emu_memory_free(EmuMemory *memory) {
  if (!memory) return;
  for (int i = 0; i < memory->buffers; i++) free(memory->buffer[i].host);
  free(memory->buffer);
  free(memory);
}

static bool grow(EmuMemory *memory) {
  if (memory->buffers < memory->capacity) return true;
  int capacity = memory->capacity ? memory->capacity * 2 : 16;
  Buffer *buffer = realloc(memory->buffer, (size_t)capacity * sizeof *buffer);
  if (!buffer) return false;
  memory->buffer = buffer;
  memory->capacity = capacity;
  return true;
}

/* Index of the last buffer that starts at or below the address, or -1. */
static int find_below(const EmuMemory *memory, uint64_t address) {
  int low = 0, high = memory->buffers;
  while (low < high) {
    int middle = (low + high) / 2;
    if (memory->buffer[middle].base <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low - 1;
}

/* Its index, if no other buffer lies there; -1 when there is one, or out of memory. */
static int insert(EmuMemory *memory, uint64_t base, uint64_t bytes, const char *name) {
  const int i = find_below(memory, base) + 1;
  const bool meets = (i > 0 && base - memory->buffer[i - 1].base < memory->buffer[i - 1].bytes) ||
                     (i < memory->buffers && memory->buffer[i].base - base < bytes);
  if (bytes == 0 || bytes > MAX_BUFFER || meets || !grow(memory)) return -1;
  Buffer buffer = {.base = base, .bytes = bytes};
  buffer.host = calloc(1, (size_t)(bytes + 15) & ~(size_t)15);
  if (!buffer.host) return -1;
  snprintf(buffer.name, sizeof buffer.name, "%s", name);
  memmove(&memory->buffer[i + 1], &memory->buffer[i],
          (size_t)(memory->buffers++ - i) * sizeof *memory->buffer);
  memory->buffer[i] = buffer;
  const uint64_t after = (base + bytes + BUFFER_GAP + BUFFER_ALIGN - 1) & ~BUFFER_MASK;
  if (after > memory->next) memory->next = after;
  return i;
}

uint64_t memory_alloc(EmuMemory *memory, uint64_t bytes, const char *name, const void *owner) {
  const int i = insert(memory, memory->next, bytes, name);
  if (i < 0) return 0;
  memory->buffer[i].owner = owner;
  return memory->buffer[i].base;
}

uint64_t emu_alloc(EmuMemory *memory, uint64_t bytes, const char *name) {
  return memory_alloc(memory, bytes, name, NULL);
}

bool emu_alloc_at(EmuMemory *memory, uint64_t address, uint64_t bytes, const char *name) {
  if (address < GLOBAL_BASE || address >= LAST_BASE) return false;
  return insert(memory, address, bytes, name) >= 0;
}

const Buffer *memory_find(const EmuMemory *memory, uint64_t address) {
  int i = find_below(memory, address);
  if (i < 0) return NULL;
  const Buffer *buffer = &memory->buffer[i];
  return address - buffer->base < buffer->bytes ? buffer : NULL;
}

const Buffer *memory_nearest(const EmuMemory *memory, uint64_t address) {
  int i = find_below(memory, address);
  if (memory->buffers == 0) return NULL;
  return &memory->buffer[i < 0 ? 0 : i];
}

bool emu_free(EmuMemory *memory, uint64_t address) {
  int i = find_below(memory, address);
  if (i < 0 || memory->buffer[i].base != address) return false;
  free(memory->buffer[i].host);
  memory->buffers--;
  memmove(&memory->buffer[i], &memory->buffer[i + 1],
          (size_t)(memory->buffers - i) * sizeof *memory->buffer);
  return true;
}

void memory_free_owned(EmuMemory *memory, const void *owner) {
  int kept = 0;
  for (int i = 0; i < memory->buffers; i++) {
    if (memory->buffer[i].owner == owner)
      free(memory->buffer[i].host);
    else
      memory->buffer[kept++] = memory->buffer[i];
  }
  memory->buffers = kept;
}

static uint8_t *range(const EmuMemory *memory, uint64_t address, uint64_t bytes) {
  const Buffer *buffer = memory_find(memory, address);
  if (!buffer || buffer->bytes - (address - buffer->base) < bytes) return NULL;
  return buffer->host + (address - buffer->base);
}

bool emu_copy_in(EmuMemory *memory, uint64_t address, const void *from, uint64_t bytes) {
  uint8_t *to = range(memory, address, bytes);
  if (to && bytes) memcpy(to, from, (size_t)bytes);
  return to != NULL;
}

bool emu_copy_out(const EmuMemory *memory, void *to, uint64_t address, uint64_t bytes) {
  const uint8_t *from = range(memory, address, bytes);
  if (from && bytes) memcpy(to, from, (size_t)bytes);
  return from != NULL;
}
