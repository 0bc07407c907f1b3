/*
 * shadow.h: who accessed global memory last, for a launch. Pages are allocated as they are touched;
 * within one, every sector of 32 bytes remembers its last write and two readers, so long as whole
 * sectors are accessed by neighbouring lanes, and else each of its words or bytes.
 */
#ifndef KGEN_EMU_SHADOW_H
#define KGEN_EMU_SHADOW_H

#include <stdatomic.h>

#include "emu/memory/memory.h"

enum {
  SHADOW_SECTOR = 32,
  SHADOW_WORD = 4,
  SHADOW_THREAD_BITS = 10,
  SHADOW_PC_BITS = 20,
  SHADOW_BLOCK_BITS = 29
};

/* One access. Of a sector: by the thread of its first byte; the next thread had the next 2^step. */
typedef struct {
  uint32_t block : SHADOW_BLOCK_BITS, step : 3;
  uint32_t tick; /* of the warp; 0: there was none */
  uint32_t thread : SHADOW_THREAD_BITS, strength : 2, pc : SHADOW_PC_BITS;
} Stamp;

typedef struct {
  Stamp write, read[2];
} Cell;

/* The cells of a sector's units of 4 bytes, or of single ones. */
typedef struct {
  unsigned unit;
  Cell cell[];
} Cells;

typedef struct {
  Cell whole; /* unless there are cells */
  Cells *cells;
} Sector;

enum { SHADOW_PAGE_BITS = 12, SHADOW_SECTORS = (1 << SHADOW_PAGE_BITS) / SHADOW_SECTOR };

typedef struct {
  atomic_bool locked;
  uint64_t number; /* of its addresses, without their low bits */
  Sector sector[SHADOW_SECTORS];
} ShadowPage;

typedef struct Shadow Shadow;

/* Of all buffers but those of `skipped` bytes at that address; NULL when out of memory. `alone`:
 * one host thread, which needs no locks. */
Shadow *shadow_new(const EmuMemory *memory, uint64_t skipped, bool alone);
void shadow_free(Shadow *shadow);
/* The page of an address, locked; NULL if it is not watched, or for want of memory. */
ShadowPage *shadow_lock(Shadow *shadow, uint64_t address);
void shadow_unlock(Shadow *shadow, ShadowPage *page);
/* Whether the page holds the address, too. */
static inline bool shadow_holds(const ShadowPage *page, uint64_t address) {
  return page->number == address >> SHADOW_PAGE_BITS;
}

static inline Sector *shadow_sector(ShadowPage *page, uint64_t address) {
  return &page->sector[address / SHADOW_SECTOR % SHADOW_SECTORS];
}

bool shadow_split_new(Shadow *shadow, Sector *sector, unsigned unit);

/* Sees to it that the sector has cells of `unit` bytes or less; false for want of memory. */
static inline bool shadow_split(Shadow *shadow, Sector *sector, unsigned unit) {
  return (sector->cells && sector->cells->unit <= unit) || shadow_split_new(shadow, sector, unit);
}

#endif
