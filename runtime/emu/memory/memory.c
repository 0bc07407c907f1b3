#include "emu/memory/memory.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/number.h"

/* The gap between buffers is larger than most overruns, so that these do not hit another buffer. */
enum { BUFFER_ALIGN = 256, BUFFER_GAP = 1 << 20 };
#define BUFFER_MASK ((uint64_t)BUFFER_ALIGN - 1)
#define MAX_BUFFER  (1ull << 40)
#define LAST_BASE   (1ull << 62) /* so that no address plus size wraps around */

EmuMemory *emu_memory_new(void) {
  EmuMemory *memory = calloc(1, sizeof *memory);
  if (memory) memory->next = GLOBAL_BASE;
  return memory;
}

static void release(const Buffer *buffer) {
  if (!buffer->mapped) free(buffer->host);
}

void emu_memory_free(EmuMemory *memory) {
  if (!memory) return;
  memory_leave_spare(memory, NULL);
  if (memory->heap) memory->heap_free(memory->heap);
  for (int i = 0; i < memory->buffers; i++) release(&memory->buffer[i]);
  free(memory->buffer);
  for (int i = 0; i < memory->textures; i++) free(memory->texture[i]);
  free(memory->texture);
  for (int i = 0; i < memory->places; i++) free(memory->place[i].name);
  free(memory->place);
  for (KeptName *name = memory->kept, *next; name; name = next) {
    next = name->next;
    free(name);
  }
  free(memory);
}

const char *memory_keep_name(EmuMemory *memory, const char *name) {
  for (const KeptName *k = memory->kept; k; k = k->next)
    if (strcmp(k->text, name) == 0) return k->text;
  const size_t bytes = strlen(name) + 1;
  KeptName *k = malloc(sizeof *k + bytes);
  if (!k) return NULL;
  memcpy(k->text, name, bytes);
  k->next = memory->kept;
  memory->kept = k;
  return k->text;
}

Spare *memory_take_spare(EmuMemory *memory) { return atomic_exchange(&memory->spare, NULL); }

void memory_leave_spare(EmuMemory *memory, Spare *spare) {
  Spare *old = atomic_exchange(&memory->spare, spare);
  if (old) old->free(old);
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

/* True if the buffer overlaps no other; sets *i to its index. */
static bool has_place(EmuMemory *memory, const Buffer *b, int *i) {
  *i = find_below(memory, b->base) + 1;
  const Buffer *before = *i > 0 ? &memory->buffer[*i - 1] : NULL;
  const Buffer *after = *i < memory->buffers ? &memory->buffer[*i] : NULL;
  const bool meets = (before && b->base - before->base < before->bytes) ||
                     (after && after->base - b->base < b->bytes);
  return b->bytes && b->bytes <= MAX_BUFFER && !meets && grow(memory);
}

/* Allocates zeroed memory. Large buffers use huge pages, because kernels access many pages. The
 * largest buffers use small pages: a kernel may access a few scattered words, and each would
 * allocate a huge page. */
static uint8_t *new_bytes(size_t bytes) {
  const uintptr_t huge = 2 << 20;
  const size_t sparse = (size_t)1 << 30;
  uint8_t *host = calloc(1, bytes);
  const uintptr_t first = ((uintptr_t)host + huge - 1) & ~(huge - 1);
  const uintptr_t end = ((uintptr_t)host + bytes) & ~(huge - 1);
  if (host && end > first && bytes <= sparse)
    madvise((void *)first, end - first, MADV_HUGEPAGE); /* if this fails, pages stay small */
  return host;
}

/* False if another buffer overlaps it, or when out of memory. */
static bool insert(EmuMemory *memory, Buffer buffer, const char *name) {
  int i;
  if (!has_place(memory, &buffer, &i)) return false;
  if (!buffer.host) buffer.host = new_bytes(number_up_bytes(buffer.bytes, 16));
  if (!buffer.host) return false;
  snprintf(buffer.name, sizeof buffer.name, "%s", name);
  memmove(&memory->buffer[i + 1], &memory->buffer[i],
          (size_t)(memory->buffers++ - i) * sizeof *memory->buffer);
  memory->buffer[i] = buffer;
  return true;
}

/* Adds a buffer at the next free address; addresses ascend. */
static bool insert_own(EmuMemory *memory, Buffer buffer, const char *name) {
  if (!insert(memory, buffer, name)) return false;
  const uint64_t after = number_up_bytes(buffer.base + buffer.bytes + BUFFER_GAP, BUFFER_ALIGN);
  if (after > memory->next) memory->next = after;
  return true;
}

/* Drivers allocate more than 1 MiB in separate 2 MiB pages, and some programs (Taichi) rely on an
 * alignment above the 256 bytes that CUDA guarantees. */
static uint64_t place_for(const EmuMemory *memory, uint64_t bytes) {
  enum { PAGE = 2 << 20, SMALL = 1 << 20 };
  return bytes > SMALL ? number_up_bytes(memory->next, PAGE) : memory->next;
}

uint64_t memory_alloc(EmuMemory *memory, uint64_t bytes, const char *name, const void *owner) {
  const Buffer b = {.base = place_for(memory, bytes), .bytes = bytes, .owner = owner};
  return insert_own(memory, b, name) ? b.base : 0;
}

bool emu_place_variable(EmuMemory *memory, const char *name, uint64_t address) {
  if (address < GLOBAL_BASE || address >= LAST_BASE) return false;
  VariablePlace *all = realloc(memory->place, ((size_t)memory->places + 1) * sizeof *all);
  if (all) memory->place = all;
  char *copy = all ? strdup(name) : NULL;
  if (copy) all[memory->places++] = (VariablePlace){copy, address};
  /* Later buffers go beyond this variable, whatever its size will be. */
  if (memory->next < address + MAX_BUFFER + BUFFER_GAP)
    memory->next = (address + MAX_BUFFER + BUFFER_GAP) & ~BUFFER_MASK;
  return copy != NULL;
}

uint64_t memory_variable_address(const EmuMemory *memory, const char *name) {
  for (int i = 0; i < memory->places; i++)
    if (strcmp(memory->place[i].name, name) == 0) return memory->place[i].address;
  return 0;
}

uint64_t memory_alloc_variable(EmuMemory *memory, uint64_t bytes, const char *name,
                               const void *owner) {
  const Buffer b = {.base = memory_variable_address(memory, name), .bytes = bytes, .owner = owner};
  if (!b.base) return memory_alloc(memory, bytes, name, owner);
  return insert_own(memory, b, name) ? b.base : 0;
}

uint64_t memory_alloc_managed(EmuMemory *memory, uint64_t bytes, const char *name,
                              const void *owner) {
  Buffer b = {.bytes = bytes, .owner = owner};
  const size_t room = number_up_bytes(bytes, BUFFER_ALIGN);
  void *host = bytes && bytes <= MAX_BUFFER ? aligned_alloc(BUFFER_ALIGN, room) : NULL;
  if (!host) return 0;
  b.host = memset(host, 0, room);
  b.base = (uint64_t)(uintptr_t)host;
  if (insert(memory, b, name)) return b.base;
  free(host);
  return 0;
}

uint64_t memory_alias(EmuMemory *memory, uint64_t at, void *host, uint64_t bytes, const char *name,
                      const void *owner) {
  const Buffer b = {at ? at : memory->next, bytes, host, "", owner, true};
  return insert_own(memory, b, name) ? b.base : 0;
}

bool emu_map(EmuMemory *memory, void *host, uint64_t bytes, const char *name) {
  const Buffer b = {(uint64_t)(uintptr_t)host, bytes, host, "", NULL, true};
  return insert(memory, b, name);
}

uint64_t emu_map_apart(EmuMemory *memory, void *host, uint64_t bytes, const char *name) {
  return memory_alias(memory, 0, host, bytes, name, NULL);
}

uint64_t emu_alloc(EmuMemory *memory, uint64_t bytes, const char *name) {
  return memory_alloc(memory, bytes, name, NULL);
}

bool emu_alloc_at(EmuMemory *memory, uint64_t address, uint64_t bytes, const char *name) {
  if (address < GLOBAL_BASE || address >= LAST_BASE) return false;
  return insert_own(memory, (Buffer){.base = address, .bytes = bytes}, name);
}

const Buffer *memory_find(const EmuMemory *memory, uint64_t address) {
  int i = find_below(memory, address);
  if (i < 0) return NULL;
  const Buffer *buffer = &memory->buffer[i];
  return address - buffer->base < buffer->bytes ? buffer : NULL;
}

const Buffer *memory_below(const EmuMemory *memory, uint64_t address) {
  const int i = find_below(memory, address);
  return memory->buffers ? &memory->buffer[i < 0 ? 0 : i] : NULL;
}

const Buffer *memory_nearest(const EmuMemory *memory, uint64_t address) {
  const int i = find_below(memory, address);
  const Buffer *below = i < 0 ? NULL : &memory->buffer[i];
  const Buffer *above = i + 1 < memory->buffers ? &memory->buffer[i + 1] : NULL;
  if (!below || !above) return below ? below : above;
  const uint64_t past = address - below->base;
  return past >= below->bytes && above->base - address < past - below->bytes ? above : below;
}

bool emu_move(EmuMemory *memory, uint64_t address, void *host) {
  const int i = find_below(memory, address);
  if (i < 0 || memory->buffer[i].base != address) return false;
  Buffer *b = &memory->buffer[i];
  memcpy(host, b->host, (size_t)b->bytes);
  release(b);
  b->host = host;
  b->mapped = true;
  return true;
}

bool emu_free(EmuMemory *memory, uint64_t address) {
  int i = find_below(memory, address);
  if (i < 0 || memory->buffer[i].base != address) return false;
  release(&memory->buffer[i]);
  memory->buffers--;
  memmove(&memory->buffer[i], &memory->buffer[i + 1],
          (size_t)(memory->buffers - i) * sizeof *memory->buffer);
  return true;
}

void memory_free_owned(EmuMemory *memory, const void *owner) {
  int kept = 0;
  for (int i = 0; i < memory->buffers; i++) {
    if (memory->buffer[i].owner == owner)
      release(&memory->buffer[i]);
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

void *emu_view(const EmuMemory *memory, uint64_t address, uint64_t bytes) {
  return range(memory, address, bytes);
}

bool emu_buffer(const EmuMemory *memory, uint64_t address, EmuBuffer *out) {
  const Buffer *b = memory_find(memory, address);
  if (b) *out = (EmuBuffer){b->base, b->bytes, b->base == (uint64_t)(uintptr_t)b->host, b->name};
  return b != NULL;
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
