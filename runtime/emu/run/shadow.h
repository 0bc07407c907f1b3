/*
 * shadow.h: who accessed global memory last, for a launch. Pages are allocated as they are touched.
 * Each word remembers its last write and two readers; each byte does, in sectors of 32 bytes where
 * accesses were narrower. So long as neighbouring lanes accessed a sector as a whole, it is judged
 * as one.
 *
 * What the lanes of one access have in common is kept once a page, a record; a word has marks, a
 * record's number and a lane, so that rows of words are looked at and marked in loops over marks.
 * Rows that can race with nothing are only listed, until somebody comes who might: most pages never
 * get marks.
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

/* One access of a thread, and of the following ones to what follows: the next 2^step bytes. */
typedef struct {
  uint32_t block : SHADOW_BLOCK_BITS, step : 3;
  uint32_t tick; /* of the warp; 0: there was none */
  uint32_t thread : SHADOW_THREAD_BITS, strength : 2, pc : SHADOW_PC_BITS;
} Stamp;

/* under: the last write that is weaker than those behind it, of which `write` is the last. */
typedef struct {
  Stamp write, read[2], under;
} Cell;

/* 0: none; else the number of a record + 1, and the lane in the low bits. */
typedef uint32_t Mark;
enum { MARK_LANE_BITS = 5, MARK_LANE = (1 << MARK_LANE_BITS) - 1 };

enum {
  SHADOW_PAGE_BITS = 12,
  SHADOW_PAGE = 1 << SHADOW_PAGE_BITS,
  SHADOW_WORDS = SHADOW_PAGE / SHADOW_WORD,
  SHADOW_SECTORS = SHADOW_PAGE / SHADOW_SECTOR
};

/* The marks of a unit of memory. */
typedef enum { MARK_WRITE, MARK_READ, MARK_SECOND_READ, MARKS } MarkKind;

/* Words that lanes one behind the other touched: global_rows.h. */
typedef struct {
  Mark mark; /* of the first lane */
  uint16_t word, words : 15, writes : 1;
} ShadowRow;

enum { SHADOW_ROWS = 512, SHADOW_BITS = 64 };

/* A bit a word. */
typedef uint64_t ShadowSet[SHADOW_WORDS / SHADOW_BITS];

typedef struct ShadowPage {
  struct ShadowPage *next;
  atomic_bool locked;
  bool lists;                 /* all accesses so far are or were rows of the list */
  bool marked;                /* there are marks */
  bool any_write, any_second; /* marks of these kinds */
  uint64_t number;            /* of its addresses, without their low bits */
  int records, capacity;
  Stamp *record; /* of lane 0 */
  int rows, row_capacity;
  ShadowRow *row;               /* in their order, behind what is marked */
  ShadowSet touched, written;   /* by rows that are or were listed */
  Mark (*byte)[SHADOW_PAGE];    /* [MARKS], of the sectors with units of a byte; or NULL */
  uint8_t unit[SHADOW_SECTORS]; /* in bytes: 4 or 1; 0: the sector is judged as a whole */
  Mark (*word)[SHADOW_WORDS];   /* [MARKS], of the other sectors; NULL: none yet */
  Mark *under;                  /* [SHADOW_PAGE], what lies under the last writes; NULL: none yet */
} ShadowPage;

typedef struct Shadow Shadow;

/* Of all buffers but the one at `skipped`; NULL when out of memory. `alone`: one host thread, which
 * needs no locks. Pages take `most` bytes together, 0: 2 GiB; what is beyond is not watched. */
Shadow *shadow_new(EmuMemory *memory, uint64_t skipped, bool alone, uint64_t most);
/* Its storage stays with the memory, for the next launch. */
void shadow_free(Shadow *shadow, EmuMemory *memory);
/* The page of an address, locked; NULL if it is not watched, or for want of memory. */
ShadowPage *shadow_lock(Shadow *shadow, uint64_t address);
void shadow_unlock(Shadow *shadow, ShadowPage *page);
/* Fetches the page of an address into the caches, if there is one. */
void shadow_fetch(const Shadow *shadow, uint64_t address);
/* Whether the page holds the address, too. */
static inline bool shadow_holds(const ShadowPage *page, uint64_t address) {
  return page->number == address >> SHADOW_PAGE_BITS;
}

/* How many bytes from an address on, of one sector, are judged as one. */
static inline unsigned shadow_unit(const ShadowPage *page, uint64_t address) {
  const uint8_t unit = page->unit[address % SHADOW_PAGE / SHADOW_SECTOR];
  return unit ? unit : SHADOW_SECTOR;
}

/* The marks of one kind from an address on, of units of a word (or a whole sector), or of a byte.
 */
static inline Mark *shadow_marks(ShadowPage *page, MarkKind kind, uint64_t address) {
  const uint64_t at = address % SHADOW_PAGE;
  return shadow_unit(page, at) == 1 ? &page->byte[kind][at] : &page->word[kind][at / SHADOW_WORD];
}

static inline const Stamp *shadow_record(const ShadowPage *page, Mark mark) {
  return &page->record[(mark >> MARK_LANE_BITS) - 1];
}

/* The mark of lane 0 of an access, whose stamp is that lane's; 0 for want of memory. Marks are
 * valid until the next one is made. */
Mark shadow_mark(Shadow *shadow, ShadowPage *page, Stamp lane_0);
/* Lists a row; false for want of memory, or where the list is full. */
bool shadow_list(Shadow *shadow, ShadowPage *page, ShadowRow row);
/* Room for marks; false for want of memory: then the page is watched no more. */
bool shadow_open_marks(Shadow *shadow, ShadowPage *page);
/* The last write to a unit stays under those that follow. */
void shadow_keep_under(Shadow *shadow, ShadowPage *page, uint64_t address, unsigned unit);
/* Forgets what lies under the last write. */
void shadow_drop_under(ShadowPage *page, uint64_t address, unsigned unit);
/* What is remembered of the unit that begins at an address. */
Cell shadow_cell(ShadowPage *page, uint64_t address);

bool shadow_split_new(Shadow *shadow, ShadowPage *page, uint64_t address, unsigned unit);

/* Sees to it that the sector of an address has units of `unit` bytes or less; false for want of
 * memory. */
static inline bool shadow_split(Shadow *shadow, ShadowPage *page, uint64_t address, unsigned unit) {
  return shadow_unit(page, address) <= unit || shadow_split_new(shadow, page, address, unit);
}

#endif
