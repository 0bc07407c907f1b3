/* SPDX-License-Identifier: MIT */
#include "emu/run/copy/cp_async.h"

#include <stdlib.h>
#include <string.h>

#include "emu/run/access/memory.h"
#include "emu/run/race/copies.h"

static void perform(Warp *w, const AsyncCopy *copy) {
  uint8_t data[MAX_COPY] = {0};
  const uint8_t *value[LANES]; /* per lane */
  Resolved access;
  access.shared = access.valid = 1u << copy->lane;
  access.global = access.local = access.remote = 0;
  if (copy->from_bytes) memcpy(data, copy->from, copy->from_bytes);
  value[copy->lane] = data;
  access.offset[copy->lane] = copy->to;
  race_async_done(w, copy->to, copy->bytes);
  access.host[copy->lane] = w->block->shared + copy->to;
  access_write(w, copy->insn, &access, copy->bytes, copy->bytes < 8 ? copy->bytes : 8, value);
}

static void perform_unjudged(const Warp *w, const AsyncCopy *copy) {
  uint8_t *to = w->block->shared + copy->to;
  if (copy->from_bytes == MAX_COPY) { /* as mostly: in one piece */
    memcpy(to, copy->from, MAX_COPY);
    return;
  }
  memset(to, 0, copy->bytes);
  if (copy->from_bytes) memcpy(to, copy->from, copy->from_bytes);
}

void async_perform_until(Warp *w, uint32_t active, const uint32_t newest[LANES]) {
  int kept = 0;
  for (int i = 0; i < w->asyncs; i++) {
    const AsyncCopy *copy = &w->async[i];
    if (!(active >> copy->lane & 1) || copy->group >= newest[copy->lane])
      w->async[kept++] = *copy;
    else if (w->block->unchecked)
      perform_unjudged(w, copy);
    else
      perform(w, copy);
  }
  w->asyncs = kept;
}

void async_perform_all(Warp *w, uint32_t active) {
  uint32_t newest[LANES];
  memset(newest, 0xff, sizeof newest);
  async_perform_until(w, active, newest);
}

void async_note_wait(Warp *w, uint32_t active, const Insn *wait) {
  for (int i = 0; i < w->asyncs; i++) {
    AsyncCopy *copy = &w->async[i];
    if (!(active >> copy->lane & 1)) continue;
    copy->left_by = wait;
    copy->was_open = copy->group >= w->async_group[copy->lane];
  }
}

bool async_reserve(Warp *w, int more) {
  if (w->asyncs + more <= w->async_capacity) return true;
  int capacity = w->async_capacity * 2 + more;
  AsyncCopy *grown = realloc(w->async, (size_t)capacity * sizeof *grown);
  if (!grown) return false;
  w->async = grown;
  w->async_capacity = capacity;
  return true;
}
