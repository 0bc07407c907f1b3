/* memory.h: the emulated address spaces. An EmuMemory owns its buffers, but not the host memory of
 * mapped ones and aliases, and frees them with itself; modules free theirs before. */
#ifndef KGEN_EMU_MEMORY_MEMORY_H
#define KGEN_EMU_MEMORY_MEMORY_H

#include "emu/emu.h"

/*
 * Generic addresses: shared, local, const and parameter memory are windows of 2^32 bytes below the
 * first device address, so that a space's address is the window's base plus an offset.
 */
#define WINDOW_BYTES       (1ull << 32)
#define WINDOW_BASE(space) ((uint64_t)(space) << 40)
#define GLOBAL_BASE        (1ull << 46)

enum { CONST_BANK_BYTES = 65536, MAX_LOCAL_BYTES = 512 << 10 };

/* The space that a generic address lies in. */
static inline EmuSpace memory_space_of(uint64_t address) {
  uint64_t window = address >> 40;
  if (window == 0 || window >= EMU_SPACES || (address & ((1ull << 40) - 1)) >= WINDOW_BYTES) {
    return EMU_GLOBAL;
  }
  return (EmuSpace)window;
}

typedef struct {
  uint64_t base, bytes;
  uint8_t *host;
  char name[64];
  const void *owner; /* the module whose variable it is; NULL: the user */
  bool mapped;       /* `host` is the user's memory */
} Buffer;

typedef struct Texture Texture;

/* Storage that a launch leaves for the next one, whoever takes it. */
typedef struct Spare {
  void (*free)(struct Spare *spare);
} Spare;

typedef struct Heap Heap;

/* Where a variable of a module to come shall lie. */
typedef struct {
  char *name;
  uint64_t address;
} VariablePlace;

struct EmuMemory {
  int buffers, capacity;
  Buffer *buffer; /* sorted by base */
  uint64_t next;
  int textures;
  Texture **texture; /* and surfaces, from malloc; NULL: freed */
  int places;
  VariablePlace *place;
  _Atomic(Spare *) spare;
  Heap *heap; /* NULL: no kernel that was launched could allocate */
  void (*heap_free)(Heap *heap);
  uint64_t heap_bytes; /* of the one to come; 0: CUDA's default */
};

/* emu_alloc on behalf of a module; memory_free_owned frees all of its buffers. */
uint64_t memory_alloc(EmuMemory *memory, uint64_t bytes, const char *name, const void *owner);
void memory_free_owned(EmuMemory *memory, const void *owner);
/* The same for a variable of a module, at the place that emu_place_variable gave its name. */
uint64_t memory_alloc_variable(EmuMemory *memory, uint64_t bytes, const char *name,
                               const void *owner);
/* The same at the host's address of a variable that is the host's, too. */
uint64_t memory_alloc_managed(EmuMemory *memory, uint64_t bytes, const char *name,
                              const void *owner);
/* The address that emu_place_variable gave a name; 0: none. */
uint64_t memory_place(const EmuMemory *memory, const char *name);
/* A second address, `at` or any, for `bytes` at `host`, which stay the owner's; 0 when out of
 * memory, or where another buffer is. */
uint64_t memory_alias(EmuMemory *memory, uint64_t at, void *host, uint64_t bytes, const char *name,
                      const void *owner);
/* What a launch has left, or NULL; the caller owns it. */
Spare *memory_take_spare(EmuMemory *memory);
void memory_leave_spare(EmuMemory *memory, Spare *spare);
/* The buffer that holds the address, or NULL. */
const Buffer *memory_find(const EmuMemory *memory, uint64_t address);
/* The last buffer that begins at an address or below, or else the first; NULL if there is none. */
const Buffer *memory_below(const EmuMemory *memory, uint64_t address);
/* The buffer that holds an address, or else the nearest one; NULL if there is none. */
const Buffer *memory_nearest(const EmuMemory *memory, uint64_t address);

#endif
