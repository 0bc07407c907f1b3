/* SPDX-License-Identifier: MIT */
/* memory.h: the emulated address spaces. An EmuMemory owns its buffers, except the host memory of
 * mapped buffers and aliases. Modules free their buffers before the memory is freed. */
#ifndef KGEN_EMU_MEMORY_MEMORY_H
#define KGEN_EMU_MEMORY_MEMORY_H

#include "base/ranges.h"
#include "emu/emu.h"

/* Generic addresses: shared, local, const and parameter memory are windows of 2^32 bytes below the
 * first device address. The generic address is the window's base plus the offset in the space. */
#define WINDOW_BYTES       (1ull << 32)
#define WINDOW_BASE(space) ((uint64_t)(space) << 40)
#define GLOBAL_BASE        (1ull << 46)

enum { CONST_BANK_BYTES = 65536, MAX_LOCAL_BYTES = 512 << 10 };

/* The space of a generic address. */
static inline EmuSpace memory_space_of(uint64_t address) {
  uint64_t window = address >> 40;
  if (window == 0 || window >= EMU_SPACES || (address & ((1ull << 40) - 1)) >= WINDOW_BYTES) {
    return EMU_GLOBAL;
  }
  return (EmuSpace)window;
}

typedef struct {
  uint64_t base, bytes; /* as an AddressRange */
  uint8_t *host;
  char name[64];
  const void *owner; /* the module whose variable this is; NULL: allocated by the user */
  bool mapped;       /* `host` is memory of the user */
} Buffer;

typedef struct Texture Texture;

/* Storage that a launch keeps for the next one, of whatever kind. */
typedef struct Spare {
  void (*free)(struct Spare *spare);
} Spare;

typedef struct Heap Heap;

/* A fixed address for a variable of a module that is not loaded yet. */
typedef struct {
  char *name;
  uint64_t address;
} VariablePlace;

/* A string that lives as long as the memory. */
typedef struct KeptName {
  struct KeptName *next;
  char text[];
} KeptName;

struct EmuMemory {
  Ranges buffers; /* its items are Buffers */
  uint64_t next;
  int textures;
  Texture **texture; /* textures and surfaces, from malloc; NULL: freed */
  int places;
  VariablePlace *place;
  _Atomic(Spare *) spare;
  Heap *heap; /* NULL: no kernel launched so far can allocate */
  void (*heap_free)(Heap *heap);
  KeptName *kept;
  uint64_t heap_bytes; /* size of the heap when it is created; 0: CUDA's default */
};

/* Like emu_alloc(), on behalf of a module; memory_free_owned() frees all buffers of a module. */
uint64_t memory_alloc(EmuMemory *memory, uint64_t bytes, const char *name, const void *owner);
void memory_free_owned(EmuMemory *memory, const void *owner);
/* Like memory_alloc(), at the address that emu_place_variable() set for the name. */
uint64_t memory_alloc_variable(EmuMemory *memory, uint64_t bytes, const char *name,
                               const void *owner);
/* Like memory_alloc(), at the host address of a variable that the host shares. */
uint64_t memory_alloc_managed(EmuMemory *memory, uint64_t bytes, const char *name,
                              const void *owner);
/* The address that emu_place_variable() set for a name; 0: none. */
uint64_t memory_variable_address(const EmuMemory *memory, const char *name);
/* Maps `bytes` at `host`, which the caller keeps, at a second device address: `at`, or any if 0.
 * Returns 0 when out of memory or if another buffer is at that address. */
uint64_t memory_alias(EmuMemory *memory, uint64_t at, void *host, uint64_t bytes, const char *name,
                      const void *owner);
/* A copy of a string, the same for equal ones, that lives as long as the memory; NULL when out of
 * memory. Not while a launch runs. */
const char *memory_keep_name(EmuMemory *memory, const char *name);
/* The storage that a launch has kept, or NULL; the caller owns it. */
Spare *memory_take_spare(EmuMemory *memory);
void memory_leave_spare(EmuMemory *memory, Spare *spare);
/* The buffer that contains the address, or NULL. */
const Buffer *memory_find(const EmuMemory *memory, uint64_t address);
/* The last buffer that starts at or below the address, or else the first buffer; NULL if there is
 * none. */
const Buffer *memory_below(const EmuMemory *memory, uint64_t address);
/* The buffer that contains the address, or else the nearest one; NULL if there is none. */
const Buffer *memory_nearest(const EmuMemory *memory, uint64_t address);

#endif
