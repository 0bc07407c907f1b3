/* SPDX-License-Identifier: MIT */
#include "emu/run/race/shadow.h"

#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* One SPARE_PART-th of the bytes that a launch may take stays for the next one, since the first
 * touch of new memory costs more than an access does. */
#define MOST_BYTES (2ull << 30)
enum { SPARE_PART = 16 };

typedef struct {
  uint64_t base, end, pages;
  _Atomic(ShadowPage *) *page;
} Region;

struct Shadow {
  Spare as_spare;
  bool alone;
  uint64_t most;
  atomic_ullong bytes;
  _Atomic(ShadowPage *) used, spare; /* lists of pages */
  int regions;
  Region *region; /* sorted by base */
};

static bool open_region(Region *r, const Buffer *b) {
  *r = (Region){.base = b->base, .end = b->base + b->bytes};
  r->pages = (b->bytes + SHADOW_PAGE - 1) / SHADOW_PAGE + 1;
  r->page = calloc((size_t)r->pages, sizeof *r->page);
  return r->page != NULL;
}

static void page_free(ShadowPage *page) {
  if (!page) return;
  free(page->record);
  free(page->row);
  free(page->byte);
  free(page->word);
  free(page->under);
  free(page);
}

static void free_pages(ShadowPage *page) {
  for (ShadowPage *next; page; page = next) {
    next = page->next;
    page_free(page);
  }
}

static void close_regions(Shadow *s) {
  for (int i = 0; i < s->regions; i++) free(s->region[i].page);
  free(s->region);
  s->region = NULL;
  s->regions = 0;
}

static void destroy(Spare *spare) {
  Shadow *s = (Shadow *)spare;
  close_regions(s);
  free_pages(atomic_load(&s->used));
  free_pages(atomic_load(&s->spare));
  free(s);
}

static bool open_regions(Shadow *s, const EmuMemory *memory, uint64_t skipped) {
  s->region = calloc((size_t)memory->buffers.count + 1, sizeof *s->region);
  for (int i = 0; s->region && i < memory->buffers.count; i++) {
    const Buffer *b = ranges_item(&memory->buffers, i);
    if (!b->bytes || b->base == skipped) continue;
    if (!open_region(&s->region[s->regions++], b)) return false;
  }
  return s->region != NULL;
}

Shadow *shadow_new(EmuMemory *memory, uint64_t skipped, bool alone, uint64_t most) {
  Shadow *s = (Shadow *)memory_take_spare(memory);
  if (!s) s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->as_spare.free = destroy;
  s->alone = alone;
  s->most = most ? most : MOST_BYTES;
  if (open_regions(s, memory, skipped)) return s;
  destroy(&s->as_spare);
  return NULL;
}

/* Makes a page that is used again forget all. */
static void clean(ShadowPage *page) {
  const bool any[MARKS] = {page->any_write, page->marked, page->any_second};
  memset(page->unit, 0, sizeof page->unit);
  memset(page->touched, 0, sizeof page->touched);
  memset(page->written, 0, sizeof page->written);
  for (MarkKind kind = 0; kind < MARKS; kind++)
    if (any[kind]) memset(page->word[kind], 0, sizeof page->word[kind]);
  page->marked = page->any_write = page->any_second = false;
  page->records = page->rows = 0;
}

enum { WORD_MARKS = MARKS * SHADOW_WORDS, BYTE_MARKS = MARKS * SHADOW_PAGE };

static size_t bytes_of(const ShadowPage *page) {
  return sizeof *page + (size_t)page->capacity * sizeof *page->record +
         (size_t)page->row_capacity * sizeof *page->row +
         (page->word ? WORD_MARKS * sizeof(Mark) : 0);
}

void shadow_free(Shadow *s, EmuMemory *memory) {
  if (!s) return;
  close_regions(s);
  ShadowPage *spare = atomic_load(&s->spare);
  unsigned long long bytes = 0;
  for (ShadowPage *page = spare; page; page = page->next) bytes += bytes_of(page);
  for (ShadowPage *page = atomic_load(&s->used), *next; page; page = next) {
    next = page->next;
    if (page->byte || page->under || bytes + bytes_of(page) > s->most / SPARE_PART) {
      page_free(page);
      continue;
    }
    bytes += bytes_of(page);
    page->next = spare;
    spare = page;
  }
  atomic_store(&s->spare, spare);
  atomic_store(&s->used, NULL);
  atomic_store(&s->bytes, bytes);
  memory_leave_spare(memory, &s->as_spare);
}

/* --- pages --- */

static Region *find_region(const Shadow *s, uint64_t address) {
  int low = 0, high = s->regions;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (s->region[middle].base <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low && address < s->region[low - 1].end ? &s->region[low - 1] : NULL;
}

static bool take_bytes(Shadow *s, size_t bytes) {
  if (atomic_fetch_add(&s->bytes, bytes) + bytes <= s->most) return true;
  atomic_fetch_sub(&s->bytes, bytes);
  return false;
}

/* A host thread takes the whole list of spare pages and puts back all but the first: meanwhile
 * other threads, which find none, make new ones. That needs no lock. */
static ShadowPage *take_spare(Shadow *s) {
  ShadowPage *page = atomic_exchange(&s->spare, NULL);
  if (!page) return NULL;
  atomic_store(&s->spare, page->next);
  clean(page);
  return page;
}

static ShadowPage *page_new(Shadow *s, uint64_t number) {
  ShadowPage *page = take_spare(s);
  if (!page) page = take_bytes(s, sizeof *page) ? calloc(1, sizeof *page) : NULL;
  if (!page) return NULL;
  page->number = number;
  page->lists = true;
  return page;
}

/* Of several host threads that need the same new page, the one whose exchange succeeds provides
 * it. */
static ShadowPage *new_page(Shadow *s, _Atomic(ShadowPage *) *at, uint64_t number) {
  ShadowPage *page = page_new(s, number), *none = NULL;
  if (!page) return NULL;
  if (!atomic_compare_exchange_strong(at, &none, page)) {
    atomic_fetch_sub(&s->bytes, bytes_of(page));
    page_free(page);
    return none;
  }
  page->next = atomic_load(&s->used);
  while (!atomic_compare_exchange_weak(&s->used, &page->next, page)) continue;
  return page;
}

ShadowPage *shadow_lock(Shadow *s, uint64_t address) {
  const Region *r = find_region(s, address);
  if (!r) return NULL;
  const uint64_t number = address >> SHADOW_PAGE_BITS;
  _Atomic(ShadowPage *) *at = &r->page[number - (r->base >> SHADOW_PAGE_BITS)];
  ShadowPage *page = atomic_load_explicit(at, memory_order_acquire);
  if (!page) page = new_page(s, at, number);
  if (!page || s->alone) return page;
  while (atomic_exchange_explicit(&page->locked, true, memory_order_acquire)) sched_yield();
  return page;
}

void shadow_unlock(Shadow *s, ShadowPage *page) {
  if (page && !s->alone) atomic_store_explicit(&page->locked, false, memory_order_release);
}

void shadow_fetch(const Shadow *s, uint64_t address) {
  enum { LINE = 64 };
  const Region *r = find_region(s, address);
  if (!r) return;
  const uint64_t i = (address >> SHADOW_PAGE_BITS) - (r->base >> SHADOW_PAGE_BITS);
  const ShadowPage *page = atomic_load_explicit(&r->page[i], memory_order_relaxed);
  if (!page) return;
  for (size_t at = 0; at < offsetof(ShadowPage, byte); at += LINE)
    __builtin_prefetch((const char *)page + at);
}

/* --- records --- */

/* Records that no mark names are dropped once there are MANY, which is more than the marks of words
 * can name. */
enum { FIRST_RECORDS = 16, MANY_RECORDS = 4096 };

static void name_records(const Mark *marks, size_t count, Mark *renamed) {
  for (size_t i = 0; i < count; i++) renamed[marks[i] >> MARK_LANE_BITS] = 1;
}

static void rename_records(Mark *marks, size_t count, const Mark *renamed) {
  for (size_t i = 0; i < count; i++)
    marks[i] = renamed[marks[i] >> MARK_LANE_BITS] << MARK_LANE_BITS | (marks[i] & MARK_LANE);
}

static void drop_records(ShadowPage *page) {
  Mark *renamed = calloc((size_t)page->records + 1, sizeof *renamed);
  if (!renamed) return;
  if (page->word) name_records(page->word[0], WORD_MARKS, renamed);
  if (page->byte) name_records(page->byte[0], BYTE_MARKS, renamed);
  if (page->under) name_records(page->under, SHADOW_PAGE, renamed);
  for (int i = 0; i < page->rows; i++) name_records(&page->row[i].mark, 1, renamed);
  Mark kept = 0;
  for (int i = 0; i < page->records; i++) {
    if (!renamed[i + 1]) continue;
    page->record[kept] = page->record[i];
    renamed[i + 1] = ++kept;
  }
  renamed[0] = 0;
  page->records = (int)kept;
  if (page->word) rename_records(page->word[0], WORD_MARKS, renamed);
  if (page->byte) rename_records(page->byte[0], BYTE_MARKS, renamed);
  if (page->under) rename_records(page->under, SHADOW_PAGE, renamed);
  for (int i = 0; i < page->rows; i++) rename_records(&page->row[i].mark, 1, renamed);
  free(renamed);
}

static bool grow_records(Shadow *s, ShadowPage *page) {
  if (page->records >= MANY_RECORDS) drop_records(page);
  if (page->records <= page->capacity / 2 && page->capacity) return true;
  const int more = page->capacity ? page->capacity : FIRST_RECORDS;
  const size_t bytes = (size_t)(page->capacity + more) * sizeof *page->record;
  Stamp *grown = take_bytes(s, (size_t)more * sizeof *grown) ? realloc(page->record, bytes) : NULL;
  if (!grown) return page->records < page->capacity;
  page->record = grown;
  page->capacity += more;
  return true;
}

static bool is_same(const Stamp *a, const Stamp *b) {
  return a->tick == b->tick && a->block == b->block && a->pc == b->pc && a->thread == b->thread &&
         a->step == b->step && a->strength == b->strength;
}

Mark shadow_mark(Shadow *s, ShadowPage *page, Stamp lane_0) {
  const int last = page->records - 1;
  if (last < 0 || !is_same(&page->record[last], &lane_0)) {
    if (page->records == page->capacity && !grow_records(s, page)) return 0;
    page->record[page->records++] = lane_0;
  }
  return (Mark)page->records << MARK_LANE_BITS;
}

/* --- rows and marks --- */

static bool grow_rows(Shadow *s, ShadowPage *page) {
  const int capacity = page->row_capacity ? page->row_capacity * 2 : FIRST_RECORDS;
  const size_t more = (size_t)(capacity - page->row_capacity) * sizeof *page->row;
  if (capacity > SHADOW_ROWS || !take_bytes(s, more)) return false;
  ShadowRow *grown = realloc(page->row, (size_t)capacity * sizeof *grown);
  if (!grown) return false;
  page->row = grown;
  page->row_capacity = capacity;
  return true;
}

bool shadow_list(Shadow *s, ShadowPage *page, ShadowRow row) {
  if (page->rows == page->row_capacity && !grow_rows(s, page)) return false;
  page->row[page->rows++] = row;
  return true;
}

bool shadow_open_marks(Shadow *s, ShadowPage *page) {
  const size_t bytes = WORD_MARKS * sizeof(Mark);
  if (!page->word && take_bytes(s, bytes)) page->word = calloc(1, bytes);
  page->marked = page->word != NULL;
  return page->marked;
}

/* --- units --- */

static Stamp stamp_of(const ShadowPage *page, Mark mark) {
  if (!mark) return (Stamp){0};
  Stamp stamp = *shadow_record(page, mark);
  stamp.thread = (stamp.thread + (mark & MARK_LANE)) & ((1 << SHADOW_THREAD_BITS) - 1);
  return stamp;
}

Cell shadow_cell(ShadowPage *page, uint64_t address) {
  return (Cell){stamp_of(page, *shadow_marks(page, MARK_WRITE, address)),
                {stamp_of(page, *shadow_marks(page, MARK_READ, address)),
                 stamp_of(page, *shadow_marks(page, MARK_SECOND_READ, address))},
                stamp_of(page, page->under ? page->under[address % SHADOW_PAGE] : 0)};
}

/* --- under the last write --- */

void shadow_keep_under(Shadow *s, ShadowPage *page, uint64_t address, unsigned unit) {
  const size_t bytes = SHADOW_PAGE * sizeof *page->under;
  const uint64_t first = address % SHADOW_PAGE;
  if (!page->under) page->under = take_bytes(s, bytes) ? calloc(1, bytes) : NULL;
  for (uint64_t at = first; page->under && at < first + unit; at++) {
    const Mark mark = *shadow_marks(page, MARK_WRITE, at);
    const bool whole = mark && unit == SHADOW_SECTOR;
    const unsigned step = whole ? shadow_record(page, mark)->step : SHADOW_SECTOR;
    page->under[at] = mark + (step < 2 ? (Mark)(at % SHADOW_WORD) >> step : 0);
  }
}

void shadow_drop_under(ShadowPage *page, uint64_t address, unsigned unit) {
  if (page->under) memset(&page->under[address % SHADOW_PAGE], 0, unit * sizeof *page->under);
}

/* --- parts of sectors --- */

/* Whether lanes that accessed the sector as a whole had less than a word each. */
static bool is_finer(ShadowPage *page, uint64_t sector) {
  for (MarkKind kind = 0; kind < MARKS; kind++) {
    const Mark mark = *shadow_marks(page, kind, sector);
    if (mark && 1u << shadow_record(page, mark)->step < SHADOW_WORD) return true;
  }
  return false;
}

/* Gives each byte the mark of its word, or where several lanes shared a word, that of its lane. */
static void split_words(ShadowPage *page, uint64_t sector, bool whole) {
  for (unsigned i = 0; i < SHADOW_SECTOR; i++) {
    for (MarkKind kind = 0; kind < MARKS; kind++) {
      const Mark mark = page->word[kind][(sector + i) / SHADOW_WORD];
      const unsigned step = mark && whole ? shadow_record(page, mark)->step : SHADOW_SECTOR;
      page->byte[kind][sector + i] = mark + (step < 2 ? i % SHADOW_WORD >> step : 0);
    }
  }
  for (MarkKind kind = 0; kind < MARKS; kind++)
    memset(&page->word[kind][sector / SHADOW_WORD], 0, SHADOW_SECTOR / SHADOW_WORD * sizeof(Mark));
}

bool shadow_split_new(Shadow *s, ShadowPage *page, uint64_t address, unsigned unit) {
  const uint64_t sector = address % SHADOW_PAGE / SHADOW_SECTOR * SHADOW_SECTOR;
  const size_t bytes = MARKS * sizeof *page->byte;
  uint8_t *now = &page->unit[sector / SHADOW_SECTOR];
  const bool whole = !*now;
  if (whole && is_finer(page, sector)) unit = 1;
  if (unit == 1 && !page->byte) page->byte = take_bytes(s, bytes) ? calloc(1, bytes) : NULL;
  if (unit == 1 && !page->byte) return false;
  if (unit == 1) split_words(page, sector, whole);
  *now = (uint8_t)unit;
  return true;
}
