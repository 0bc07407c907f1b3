/* SPDX-License-Identifier: MIT */
#include "libcuda/launch/written.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "libcuda/state/allocation.h"

Written written_begin(Arena *a, const uint32_t block[3], EmuObserver *next, void *context) {
  Written w = {.arena = a, .next = next, .next_context = context};
  memcpy(w.block, block, sizeof w.block);
  pthread_mutex_init(&w.lock, NULL);
  return w;
}

void written_end(Written *w) { pthread_mutex_destroy(&w->lock); }

/* --- findings --- */

static void thread_of(const Written *w, const EmuEvent *e, unsigned lane, uint32_t out[3]) {
  const uint32_t index = (uint32_t)e->warp * EMU_LANES + lane;
  out[0] = index % w->block[0];
  out[1] = index / w->block[0] % w->block[1];
  out[2] = index / w->block[0] / w->block[1];
}

/* Blocks are ordered by z, then y, then x. */
static bool is_earlier(const EmuEvent *e, const EmuFinding *f) {
  for (int d = 2; d >= 0; d--)
    if (e->block[d] != f->block[d]) return e->block[d] < f->block[d];
  return false;
}

static void describe(const Written *w, const EmuEvent *e, unsigned lane, const Allocation *m,
                     EmuFinding *f) {
  f->kind = EMU_UNINITIALISED;
  f->file = e->file;
  f->line = e->line;
  f->ptx_line = e->ptx_line;
  thread_of(w, e, lane, f->thread);
  memcpy(f->block, e->block, sizeof f->block);
  snprintf(f->message, sizeof f->message,
           "reads byte %" PRIu64 " of device memory #%llu, of %" PRIu64
           " bytes, which nothing wrote",
           e->address[lane] - m->base, m->id, m->bytes);
}

static EmuFinding *finding_of(Written *w, const EmuEvent *e) {
  for (int i = 0; i < w->findings; i++)
    if (w->finding[i].ptx_line == e->ptx_line) return &w->finding[i];
  w->finding = arena_grow(w->arena, w->finding, w->findings, &w->capacity, sizeof *w->finding);
  return &w->finding[w->findings++];
}

static void tell(Written *w, const EmuEvent *e, unsigned lane, const Allocation *m) {
  pthread_mutex_lock(&w->lock);
  EmuFinding *f = finding_of(w, e);
  if (!f->count || is_earlier(e, f)) describe(w, e, lane, m, f);
  f->count++;
  pthread_mutex_unlock(&w->lock);
}

/* --- words --- */

static uint8_t *words_of(const Allocation *m, uint64_t address) {
  return m->written + (address - m->base) / WRITTEN_WORD;
}

/* True if nothing wrote any word of the range. A vector load of a structure includes padding, so a
 * partly written range does not count. */
static bool is_unwritten(const Allocation *m, uint64_t address, uint64_t bytes) {
  const uint8_t *first = words_of(m, address), *last = words_of(m, address + bytes - 1);
  for (const uint8_t *word = first; word <= last; word++)
    if (__atomic_load_n(word, __ATOMIC_RELAXED)) return false;
  return true;
}

static void write_words(const Allocation *m, uint64_t address, uint64_t bytes) {
  uint8_t *const first = words_of(m, address), *const last = words_of(m, address + bytes - 1);
  for (uint8_t *word = first; word <= last; word++) __atomic_store_n(word, 1, __ATOMIC_RELAXED);
}

/* --- events --- */

static bool is_within(const Allocation *m, uint64_t address, uint64_t bytes) {
  return address >= m->base && bytes <= m->bytes && address - m->base <= m->bytes - bytes;
}

/* Tests whether all flags, each 0 or 1, are set; reads eight at once where they are aligned. */
static bool all_written(const uint8_t *word, const uint8_t *last) {
  static const uint64_t eight = UINT64_C(0x0101010101010101);
  for (; word <= last && (uintptr_t)word % 8; word++)
    if (!__atomic_load_n(word, __ATOMIC_RELAXED)) return false;
  for (; last - word >= 7; word += 8)
    if (__atomic_load_n((const uint64_t *)(const void *)word, __ATOMIC_RELAXED) != eight)
      return false;
  for (; word <= last; word++)
    if (!__atomic_load_n(word, __ATOMIC_RELAXED)) return false;
  return true;
}

/* Fast path for most loads: true if the lanes read one allocation, within a few lines, and every
 * word between the first and the last was written. */
static bool reads_written(const EmuEvent *e) {
  enum { NEAR = 4096 };
  const uint64_t bytes = (uint64_t)e->bytes_per_lane;
  uint64_t first = UINT64_MAX, last = 0;
  for (uint32_t left = e->active; left; left &= left - 1) {
    const uint64_t at = e->address[__builtin_ctz(left)];
    if (at < first) first = at;
    if (at > last) last = at;
  }
  if (last - first > NEAR) return false;
  const Allocation *m = allocation_at(first);
  if (!m || !m->written || !is_within(m, first, last - first + bytes)) return false;
  return all_written(words_of(m, first), words_of(m, last + bytes - 1));
}

static void look(Written *w, const EmuEvent *e) {
  const bool reads = e->kind != EMU_STORE, writes = e->kind == EMU_STORE || e->kind == EMU_ATOMIC;
  const uint64_t bytes = (uint64_t)e->bytes_per_lane;
  const Allocation *m = NULL;
  if (!writes && reads_written(e)) return;
  for (uint32_t left = e->active; left; left &= left - 1) {
    const unsigned lane = (unsigned)__builtin_ctz(left);
    const uint64_t at = e->address[lane];
    if (!m || !is_within(m, at, bytes)) m = allocation_at(at);
    if (!m || !m->written || !is_within(m, at, bytes)) continue;
    if (reads && is_unwritten(m, at, bytes)) tell(w, e, lane, m);
    if (writes) write_words(m, at, bytes);
  }
}

void written_event(void *written, const EmuEvent *e) {
  Written *w = written;
  if (e->space == EMU_GLOBAL && e->kind <= EMU_CP_ASYNC) look(w, e);
  w->next(w->next_context, e);
}
