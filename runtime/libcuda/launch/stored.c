/* SPDX-License-Identifier: MIT */
#include "libcuda/launch/stored.h"

#include <stdlib.h>
#include <string.h>

#include "libcuda/state/allocation.h"

static int by_base(const void *a, const void *b) {
  const uint64_t x = ((const StoredRange *)a)->base, y = ((const StoredRange *)b)->base;
  return (x > y) - (x < y);
}

bool stored_begin(Stored *s, Arena *a, const StoredRange *range, int count) {
  bool ok = true;
  s->count = count;
  s->range = ARENA_ARRAY(a, StoredRange, (size_t)count + 1);
  for (int i = 0; i < count; i++) {
    s->range[i] = range[i];
    s->range[i].word = calloc((size_t)(range[i].bytes / WRITTEN_WORD + 1), 1);
    ok = ok && s->range[i].word;
  }
  qsort(s->range, (size_t)count, sizeof *s->range, by_base);
  return ok;
}

void stored_end(Stored *s) {
  for (int i = 0; i < s->count; i++) free(s->range[i].word);
}

/* The last range that begins at or before the address. */
static const StoredRange *before(const Stored *s, uint64_t address) {
  int low = 0, high = s->count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (s->range[middle].base <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low ? &s->range[low - 1] : NULL;
}

const uint8_t *stored_words(const Stored *s, uint64_t base) {
  const StoredRange *r = before(s, base);
  return r && r->base == base ? r->word : NULL;
}

static void store(const Stored *s, uint64_t address, uint64_t bytes) {
  const StoredRange *r = before(s, address);
  const uint64_t offset = r ? address - r->base : 0;
  if (!r || offset >= r->bytes) return;
  const uint64_t end = bytes < r->bytes - offset ? offset + bytes : r->bytes;
  for (uint64_t word = offset / WRITTEN_WORD; word * WRITTEN_WORD < end; word++)
    __atomic_store_n(&r->word[word], 1, __ATOMIC_RELAXED);
}

void stored_event(void *stored, const EmuEvent *e) {
  const Stored *s = stored;
  const bool stores = e->kind == EMU_STORE || e->kind == EMU_ATOMIC;
  for (uint32_t left = stores && e->space == EMU_GLOBAL ? e->active : 0; left; left &= left - 1)
    store(s, e->address[__builtin_ctz(left)], (uint64_t)e->bytes_per_lane);
  s->next(s->next_context, e);
}
