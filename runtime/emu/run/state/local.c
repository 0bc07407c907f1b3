/* SPDX-License-Identifier: MIT */
/* Local memory of a warp. */
#include "emu/run/state/local.h"

#include <stdlib.h>
#include <string.h>

#include "emu/arith/lanes.h"

/* A copy, grown from `from` to `to` bytes per lane, of an array with `size` bytes per
 * LOCAL_WORD. */
static void *grow(const void *old, uint32_t from, uint32_t to, size_t size) {
  const size_t before = from / LOCAL_WORD * size, after = to / LOCAL_WORD * size;
  char *grown = calloc(LANES, after);
  for (size_t lane = 0; grown && old && lane < LANES; lane++)
    memcpy(grown + lane * after, (const char *)old + lane * before, before);
  return grown;
}

bool local_reserve(Local *m, uint32_t bytes) {
  if (bytes <= m->capacity) return true;
  /* At least double the capacity, because calls nest. */
  const uint32_t more = bytes < m->capacity * 2 ? m->capacity * 2 : bytes;
  Local grown = {.capacity = (more + 15) & ~15u};
  grown.bytes = grow(m->bytes, m->capacity, grown.capacity, LOCAL_WORD);
  grown.undefined = grow(m->undefined, m->capacity, grown.capacity, LOCAL_WORD);
  if (m->from) grown.from = grow(m->from, m->capacity, grown.capacity, sizeof *m->from);
  const bool ok = grown.bytes && grown.undefined && (grown.from || !m->from);
  if (ok) {
    local_release(m);
    *m = grown;
  } else {
    local_release(&grown);
  }
  return ok;
}

void local_clear(Local *m) {
  if (m->capacity) memset(m->bytes, 0, (size_t)LANES * m->capacity);
}

void local_release(Local *m) {
  free(m->bytes);
  free(m->undefined);
  free(m->from);
  *m = (Local){0};
}

void local_enter(Local *m, uint32_t lanes, uint32_t at, uint32_t bytes) {
  if (!bytes) return;
  FOR_LANES(lane, lanes) {
    memset(m->undefined + local_index(m, lane, at), 0xff, bytes);
    if (m->from)
      memset(m->from + local_index(m, lane, at) / LOCAL_WORD, 0,
             bytes / LOCAL_WORD * sizeof *m->from);
  }
}

void local_record_origin(Local *m, unsigned lane, uint64_t offset, unsigned bytes, uint64_t from) {
  if (!m->from) m->from = calloc(LANES, m->capacity / LOCAL_WORD * sizeof *m->from);
  const uint64_t first = local_index(m, lane, offset);
  for (uint64_t word = first / LOCAL_WORD; m->from && word <= (first + bytes - 1) / LOCAL_WORD;
       word++)
    m->from[word] = from;
}
