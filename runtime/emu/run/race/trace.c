/* SPDX-License-Identifier: MIT */
#include "emu/run/race/trace.h"

#include <stdatomic.h>
#include <stdlib.h>

enum {
  PAGE_BYTES = 4096,
  PAGE_WORDS = PAGE_BYTES / 4,
  BUCKETS = 1 << 14,
  MAX_PAGES = 1 << 15 /* per trace: 128 MiB of device memory */
};

typedef struct TracePage {
  struct TracePage *next;
  uint64_t number;
  TraceWord word[PAGE_WORDS];
} TracePage;

EmuTrace *trace_new(const char *kernel, int instructions) {
  EmuTrace *t = calloc(1, sizeof *t);
  if (!t) return NULL;
  atomic_init(&t->references, 1);
  t->arena = arena_new();
  t->kernel = arena_printf(t->arena, "%s", kernel);
  t->line = ARENA_ARRAY(t->arena, TraceLine, (size_t)instructions + 1);
  t->bucket = calloc(BUCKETS, sizeof *t->bucket);
  if (t->bucket) return t;
  emu_trace_free(t);
  return NULL;
}

EmuTrace *emu_trace_keep(EmuTrace *t) {
  if (t) atomic_fetch_add(&t->references, 1);
  return t;
}

void emu_trace_free(EmuTrace *t) {
  if (!t || atomic_fetch_sub(&t->references, 1) > 1) return;
  for (int i = 0; t->bucket && i < BUCKETS; i++) {
    for (TracePage *page = t->bucket[i], *next; page; page = next) {
      next = page->next;
      free(page);
    }
  }
  free(t->bucket);
  trace_set_clear(&t->running);
  trace_set_clear(&t->unfinished);
  arena_free(t->arena);
  free(t);
}

static TracePage **bucket_of(const EmuTrace *t, uint64_t number) {
  return &t->bucket[number * 0x9E3779B97F4A7C15ull >> 50];
}

static TracePage *page_of(const EmuTrace *t, uint64_t number) {
  TracePage *page = *bucket_of(t, number);
  while (page && page->number != number) page = page->next;
  return page;
}

static TraceWord *word_of(TracePage *page, uint64_t address) {
  return &page->word[address % PAGE_BYTES / 4];
}

const TraceWord *trace_find(const EmuTrace *t, uint64_t address) {
  TracePage *page = page_of(t, address / PAGE_BYTES);
  return page ? word_of(page, address) : NULL;
}

TraceWord *trace_at(EmuTrace *t, uint64_t address) {
  const uint64_t number = address / PAGE_BYTES;
  TracePage *page = page_of(t, number);
  if (page) return word_of(page, address);
  if (t->pages == MAX_PAGES || !(page = calloc(1, sizeof *page))) return NULL;
  TracePage **bucket = bucket_of(t, number);
  page->number = number;
  page->next = *bucket;
  *bucket = page;
  t->pages++;
  return word_of(page, address);
}

void trace_add(TraceAccess *old, TraceAccess access) {
  const uint32_t bytes = (old->bytes | access.bytes) & 0xf;
  if (!old->bytes || !access.strong || old->strong) *old = access;
  old->bytes = bytes & 0xf;
}

void trace_set_add(TraceSet *set, EmuTrace *t, const char *skipped_by) {
  for (int i = 0; i < set->count; i++)
    if (set->trace[i] == t) return;
  if (set->count == TRACE_DEPTH) return;
  set->skipped_by[set->count] = skipped_by;
  set->trace[set->count++] = emu_trace_keep(t);
}

void trace_set_clear(TraceSet *set) {
  for (int i = 0; i < set->count; i++) emu_trace_free(set->trace[i]);
  set->count = 0;
}
