#include "emu/run/shadow.h"

#include <sched.h>
#include <stdlib.h>

/* Together the shadows of a launch take at most MAX_BYTES; what is beyond is not watched. */
enum { PAGE = 1 << SHADOW_PAGE_BITS };
#define MAX_BYTES (2ull << 30)

typedef struct {
  uint64_t base, end, pages;
  _Atomic(ShadowPage *) *page;
} Region;

struct Shadow {
  bool alone;
  atomic_ullong bytes;
  int regions;
  Region *region; /* sorted by base */
};

static bool open_region(Region *r, const Buffer *b) {
  *r = (Region){.base = b->base, .end = b->base + b->bytes};
  r->pages = (b->bytes + PAGE - 1) / PAGE + 1;
  r->page = calloc((size_t)r->pages, sizeof *r->page);
  return r->page != NULL;
}

Shadow *shadow_new(const EmuMemory *memory, uint64_t skipped, bool alone) {
  Shadow *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->alone = alone;
  s->region = calloc((size_t)memory->buffers + 1, sizeof *s->region);
  for (int i = 0; s->region && i < memory->buffers; i++) {
    if (memory->buffer[i].base == skipped) continue;
    if (open_region(&s->region[s->regions++], &memory->buffer[i])) continue;
    shadow_free(s);
    return NULL;
  }
  if (s->region) return s;
  free(s);
  return NULL;
}

static void page_free(ShadowPage *page) {
  for (int i = 0; page && i < SHADOW_SECTORS; i++) free(page->sector[i].cells);
  free(page);
}

void shadow_free(Shadow *s) {
  if (!s) return;
  for (int i = 0; i < s->regions; i++) {
    const Region *r = &s->region[i];
    for (uint64_t k = 0; r->page && k < r->pages; k++) page_free(r->page[k]);
    free(r->page);
  }
  free(s->region);
  free(s);
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
  if (atomic_fetch_add(&s->bytes, bytes) + bytes <= MAX_BYTES) return true;
  atomic_fetch_sub(&s->bytes, bytes);
  return false;
}

/* Of host threads that need the same new page one provides it. */
static ShadowPage *new_page(Shadow *s, _Atomic(ShadowPage *) *at, uint64_t number) {
  ShadowPage *page = take_bytes(s, sizeof *page) ? calloc(1, sizeof *page) : NULL, *none = NULL;
  if (!page) return NULL;
  page->number = number;
  if (atomic_compare_exchange_strong(at, &none, page)) return page;
  free(page);
  return none;
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

/* --- cells --- */

/* The stamp of a sector at one of its bytes. */
static Stamp stamp_at(Stamp whole, unsigned byte) {
  whole.thread = (whole.thread + (byte >> whole.step)) & ((1 << SHADOW_THREAD_BITS) - 1);
  return whole;
}

static bool is_finer(const Cell *whole, unsigned unit) {
  const unsigned least = unit == SHADOW_WORD ? 2 : 0; /* a step of whole words */
  return (whole->write.tick && whole->write.step < least) ||
         (whole->read[0].tick && whole->read[0].step < least) ||
         (whole->read[1].tick && whole->read[1].step < least);
}

static Cell cell_of(const Sector *s, unsigned byte) {
  if (s->cells) return s->cells->cell[byte / s->cells->unit];
  const Cell *w = &s->whole;
  return (Cell){stamp_at(w->write, byte), {stamp_at(w->read[0], byte), stamp_at(w->read[1], byte)}};
}

bool shadow_split_new(Shadow *shadow, Sector *s, unsigned unit) {
  if (!s->cells && is_finer(&s->whole, unit)) unit = 1;
  const size_t count = SHADOW_SECTOR / unit, bytes = sizeof(Cells) + count * sizeof(Cell);
  Cells *cells = take_bytes(shadow, bytes) ? malloc(bytes) : NULL;
  if (!cells) return false;
  cells->unit = unit;
  for (unsigned i = 0; i < count; i++) cells->cell[i] = cell_of(s, i * unit);
  free(s->cells);
  s->cells = cells;
  return true;
}
