/* SPDX-License-Identifier: MIT */
/*
 * shadow.h: the shadow memory of a launch: who accessed global memory last. Its pages are allocated
 * as they are touched. Each word remembers its last write and two readers; in a sector of 32 bytes
 * that was accessed by less than words each byte does. So long as neighbouring lanes accessed a
 * sector as a whole, it is compared as one.
 *
 * What the lanes of one access have in common is kept once a page, in a record; a word has marks,
 * which name a record and a lane, so that rows of words are compared and marked in loops over
 * marks. Rows that can race with nothing are only listed, until an access comes that might race
 * with them: most pages never get marks.
 */
#ifndef KGEN_EMU_RUN_RACE_SHADOW_H
#define KGEN_EMU_RUN_RACE_SHADOW_H

#include <stdatomic.h>

#include "emu/memory/memory.h"

enum {
  SHADOW_SECTOR = 32,
  SHADOW_WORD = 4,
  SHADOW_THREAD_BITS = 10,
  SHADOW_PC_BITS = 20,
  SHADOW_BLOCK_BITS = 29
};

/* One access of a thread to 2^step bytes, and of the threads after it to the 2^step bytes after
 * those, each. */
typedef struct {
  uint32_t block : SHADOW_BLOCK_BITS, step : 3;
  uint32_t tick; /* of the warp; 0: there was no access */
  uint32_t thread : SHADOW_THREAD_BITS, strength : 2, pc : SHADOW_PC_BITS;
} Stamp;

/* under: the last write that was weaker than those after it, the newest of which is `write`. */
typedef struct {
  Stamp write, read[2], under;
} Cell;

/* The number of a record, + 1, and the lane in the low bits; 0: none. */
typedef uint32_t Mark;
enum { MARK_LANE_BITS = 5, MARK_LANE = (1 << MARK_LANE_BITS) - 1 };

enum {
  SHADOW_PAGE_BITS = 12,
  SHADOW_PAGE = 1 << SHADOW_PAGE_BITS,
  SHADOW_WORDS = SHADOW_PAGE / SHADOW_WORD,
  SHADOW_SECTORS = SHADOW_PAGE / SHADOW_SECTOR
};

/* What a unit of memory has marks of. */
typedef enum { MARK_WRITE, MARK_READ, MARK_SECOND_READ, MARKS } MarkKind;

/* Consecutive words that consecutive lanes accessed: see global_rows.h. */
typedef struct {
  Mark mark; /* of the first lane */
  uint16_t word, words : 15, writes : 1;
} ShadowRow;

enum { SHADOW_ROWS = 512, SHADOW_BITS = 64 };

/* A set of words, a bit each. */
typedef uint64_t ShadowSet[SHADOW_WORDS / SHADOW_BITS];

typedef struct ShadowPage {
  struct ShadowPage *next;
  atomic_bool locked;
  bool lists;                 /* every access so far has been listed as a row */
  bool marked;                /* there are marks */
  bool any_write, any_second; /* marks of these kinds */
  uint64_t number;            /* its addresses without their low bits */
  int records, capacity;
  Stamp *record; /* of lane 0 */
  int rows, row_capacity;
  ShadowRow *row;               /* in the order of the accesses, all after what is marked */
  ShadowSet touched, written;   /* by rows that are, or were, listed */
  Mark (*byte)[SHADOW_PAGE];    /* [MARKS], of the sectors with units of a byte; or NULL */
  uint8_t unit[SHADOW_SECTORS]; /* in bytes: 4 or 1; 0: the sector is judged as a whole */
  Mark (*word)[SHADOW_WORDS];   /* [MARKS], of the other sectors; NULL: none yet */
  Mark *under;                  /* [SHADOW_PAGE], what lies under the last writes; NULL: none yet */
} ShadowPage;

typedef struct Shadow Shadow;

/* Watches all buffers but the one at `skipped`; NULL when out of memory. `alone`: there is one host
 * thread, which needs no locks. All pages together take at most `most` bytes, 0: 2 GiB; accesses to
 * pages beyond that are not watched. */
Shadow *shadow_new(EmuMemory *memory, uint64_t skipped, bool alone, uint64_t most);
/* Part of its storage stays with the memory, for the next launch. */
void shadow_free(Shadow *shadow, EmuMemory *memory);
/* The page of an address, locked; NULL if it is not watched, or when out of memory. */
ShadowPage *shadow_lock(Shadow *shadow, uint64_t address);
void shadow_unlock(Shadow *shadow, ShadowPage *page);
/* Prefetches the page of an address, if there is one. */
void shadow_fetch(const Shadow *shadow, uint64_t address);
/* Whether the address lies on the page. */
static inline bool shadow_holds(const ShadowPage *page, uint64_t address) {
  return page->number == address >> SHADOW_PAGE_BITS;
}

/* The size of the unit that begins at an address, in bytes: a sector, a word or a byte. */
static inline unsigned shadow_unit(const ShadowPage *page, uint64_t address) {
  const uint8_t unit = page->unit[address % SHADOW_PAGE / SHADOW_SECTOR];
  return unit ? unit : SHADOW_SECTOR;
}

/* The marks of one kind from an address on: one a word, or one a byte where units are bytes. */
static inline Mark *shadow_marks(ShadowPage *page, MarkKind kind, uint64_t address) {
  const uint64_t at = address % SHADOW_PAGE;
  return shadow_unit(page, at) == 1 ? &page->byte[kind][at] : &page->word[kind][at / SHADOW_WORD];
}

static inline const Stamp *shadow_record(const ShadowPage *page, Mark mark) {
  return &page->record[(mark >> MARK_LANE_BITS) - 1];
}

/* The mark of an access's lane 0, whose stamp is given; 0 when out of memory. A mark stays valid
 * until the next one is made: see drop_records. */
Mark shadow_mark(Shadow *shadow, ShadowPage *page, Stamp lane_0);
/* Lists a row; false when out of memory, or if the list is full. */
bool shadow_list(Shadow *shadow, ShadowPage *page, ShadowRow row);
/* Makes room for marks; false when out of memory: then the page is watched no more. */
bool shadow_open_marks(Shadow *shadow, ShadowPage *page);
/* Keeps the last write to a unit under the stronger ones that follow. */
void shadow_keep_under(Shadow *shadow, ShadowPage *page, uint64_t address, unsigned unit);
/* Forgets what lies under the last write to a unit. */
void shadow_drop_under(ShadowPage *page, uint64_t address, unsigned unit);
/* All that is remembered of the unit that begins at an address. */
Cell shadow_cell(ShadowPage *page, uint64_t address);

bool shadow_split_new(Shadow *shadow, ShadowPage *page, uint64_t address, unsigned unit);

/* Makes the units of an address's sector `unit` bytes or smaller; false when out of memory. */
static inline bool shadow_split(Shadow *shadow, ShadowPage *page, uint64_t address, unsigned unit) {
  return shadow_unit(page, address) <= unit || shadow_split_new(shadow, page, address, unit);
}

#endif
