/* SPDX-License-Identifier: MIT */
/* Runs a launch again under other schedules, and compares. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/memory/memory.h"

struct EmuSnapshot {
  int buffers;
  uint64_t *base;
  uint8_t **bytes;
  uint64_t *size;
};

/* The heap's blocks are listed elsewhere, so that launches which allocate cannot be repeated. */
EmuSnapshot *emu_snapshot(const EmuMemory *m) {
  const uint64_t limit = UINT64_C(4) << 30;
  uint64_t all = 0;
  for (int i = 0; i < m->buffers.count; i++)
    all += ((const Buffer *)ranges_item(&m->buffers, i))->bytes;
  if (all > limit || m->heap) return NULL;
  const size_t count = (size_t)m->buffers.count;
  EmuSnapshot *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->base = calloc(count + 1, sizeof *s->base);
  s->bytes = calloc(count + 1, sizeof *s->bytes);
  s->size = calloc(count + 1, sizeof *s->size);
  bool ok = s->base && s->bytes && s->size;
  for (int i = 0; ok && i < m->buffers.count; i++) {
    const Buffer *b = ranges_item(&m->buffers, i);
    const int at = s->buffers;
    if (!b->bytes) continue;
    s->base[at] = b->base;
    s->size[at] = b->bytes;
    ok = (s->bytes[at] = malloc(b->bytes)) != NULL;
    if (ok) memcpy(s->bytes[at], b->host, b->bytes);
    s->buffers += ok;
  }
  if (ok) return s;
  emu_snapshot_free(s);
  return NULL;
}

void emu_snapshot_free(EmuSnapshot *s) {
  if (!s) return;
  for (int i = 0; s->bytes && i < s->buffers; i++) free(s->bytes[i]);
  free(s->base);
  free(s->bytes);
  free(s->size);
  free(s);
}

static void restore(const EmuSnapshot *s, EmuMemory *m) {
  for (int i = 0; i < s->buffers; i++) {
    const Buffer *b = memory_find(m, s->base[i]);
    if (b && b->bytes == s->size[i]) memcpy(b->host, s->bytes[i], b->bytes);
  }
}

/* The first byte that differs; NULL: none. */
static const Buffer *find_change(const EmuSnapshot *s, const EmuMemory *m, uint64_t *at, int *was) {
  for (int i = 0; i < s->buffers; i++) {
    const Buffer *b = memory_find(m, s->base[i]);
    if (!b || memcmp(b->host, s->bytes[i], s->size[i]) == 0) continue;
    for (*at = 0; b->host[*at] == s->bytes[i][*at];) ++*at;
    *was = s->bytes[i][*at];
    return b;
  }
  return NULL;
}

static bool add(EmuResult *r, const EmuFinding *finding, int number) {
  EmuFinding *grown = realloc(r->finding, (size_t)(r->findings + 1) * sizeof *grown);
  if (!grown) return false;
  r->finding = grown;
  EmuFinding *f = &r->finding[r->findings++];
  *f = *finding;
  if (f->wheres == EMU_WHERES) f->wheres--;
  EmuWhere *w = &f->where[f->wheres++];
  *w = (EmuWhere){0};
  snprintf(w->text, sizeof w->text, "in schedule %d, %s; --schedules %d..%d repeats it", number,
           emu_schedule_name(number), number, number);
  return true;
}

/* True if the run shows something that the first one did not. */
static bool compare(EmuModule *module, const EmuLaunch *launch, const EmuMemory *m,
                    const EmuSnapshot *after, const EmuResult *again, EmuResult *first,
                    int number) {
  if (again->error[0] || again->cut) return false;
  if (again->findings) return add(first, &again->finding[0], number);
  uint64_t at;
  int was;
  const Buffer *b = find_change(after, m, &at, &was);
  if (!b) return false;
  const EmuKernel *k = emu_kernel(module, launch->kernel);
  EmuFinding f = {
      .kind = EMU_SCHEDULE, .space = EMU_GLOBAL, .file = k->file, .line = k->line, .count = 1};
  snprintf(f.message, sizeof f.message,
           "the output depends on the order of warps and blocks: byte %" PRIu64
           " of buffer %s is 0x%02x, and 0x%02x in the usual order",
           at, b->name, b->host[at], was);
  return add(first, &f, number);
}

int emu_try_schedules(EmuModule *module, EmuMemory *m, const EmuLaunch *launch,
                      const EmuSnapshot *before, EmuSchedules range, EmuResult *first) {
  EmuSnapshot *after = first->findings || first->cut ? NULL : emu_snapshot(m);
  int shown = 0;
  for (int i = range.first; after && !shown && i <= range.last; i++) {
    EmuLaunch l = *launch;
    l.schedule = i;
    l.observer = NULL;
    l.primary = NULL;
    l.primaries = 0;
    l.trace = NULL;
    restore(before, m);
    EmuResult *again = emu_launch(module, &l);
    if (again && compare(module, launch, m, after, again, first, i)) shown = i;
    emu_result_free(again);
  }
  if (after) restore(after, m);
  emu_snapshot_free(after);
  return shown;
}
