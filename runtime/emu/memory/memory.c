/* SPDX-License-Identifier: MIT */
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
  if (!memory) return NULL;
  memory->next = GLOBAL_BASE;
  memory->buffers.size = sizeof(Buffer);
  return memory;
}

static void release(const Buffer *buffer) {
  if (!buffer->mapped) free(buffer->host);
}

void emu_memory_free(EmuMemory *memory) {
  if (!memory) return;
  memory_leave_spare(memory, NULL);
  if (memory->heap) memory->heap_free(memory->heap);
  for (int i = 0; i < memory->buffers.count; i++) release(ranges_item(&memory->buffers, i));
  ranges_free(&memory->buffers);
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
  const bool mine = !buffer.host;
  const AddressRange range = {buffer.base, buffer.bytes};
  if (!buffer.bytes || buffer.bytes > MAX_BUFFER || !ranges_fits(&memory->buffers, &range))
    return false;
  if (!buffer.host) buffer.host = new_bytes(number_up_bytes(buffer.bytes, 16));
  if (!buffer.host) return false;
  snprintf(buffer.name, sizeof buffer.name, "%s", name);
  if (ranges_add(&memory->buffers, &buffer)) return true;
  if (mine) free(buffer.host);
  return false;
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
  return ranges_find(&memory->buffers, address);
}

const Buffer *memory_below(const EmuMemory *memory, uint64_t address) {
  const Ranges *all = &memory->buffers;
  const Buffer *below = ranges_next(all, ranges_below(all, address), -1);
  return below ? below : ranges_next(all, 0, 1);
}

const Buffer *memory_nearest(const EmuMemory *memory, uint64_t address) {
  const Ranges *all = &memory->buffers;
  const int i = ranges_below(all, address);
  const Buffer *below = ranges_next(all, i, -1), *above = ranges_next(all, i + 1, 1);
  if (!below || !above) return below ? below : above;
  const uint64_t past = address - below->base;
  return past >= below->bytes && above->base - address < past - below->bytes ? above : below;
}

/* The buffer that starts at the address, or NULL. */
static Buffer *find_start(const EmuMemory *memory, uint64_t address) {
  Buffer *b = ranges_find(&memory->buffers, address);
  return b && b->base == address ? b : NULL;
}

bool emu_move(EmuMemory *memory, uint64_t address, void *host) {
  Buffer *b = find_start(memory, address);
  if (!b) return false;
  memcpy(host, b->host, (size_t)b->bytes);
  release(b);
  b->host = host;
  b->mapped = true;
  return true;
}

bool emu_free(EmuMemory *memory, uint64_t address) {
  Buffer *b = find_start(memory, address);
  if (!b) return false;
  release(b);
  b->host = NULL;
  ranges_remove(&memory->buffers, b);
  return true;
}

void memory_free_owned(EmuMemory *memory, const void *owner) {
  for (int i = memory->buffers.count - 1; i >= 0; i--) {
    Buffer *b = i < memory->buffers.count ? ranges_item(&memory->buffers, i) : NULL;
    if (!b || !b->bytes || b->owner != owner) continue;
    release(b);
    b->host = NULL;
    ranges_remove(&memory->buffers, b);
  }
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
