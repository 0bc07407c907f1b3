/* SPDX-License-Identifier: MIT */
#include "judge/ahead.h"

#include <string.h>

#include "base/cores.h"
#include "base/hash.h"

/* A compiler needs 200 MB. Some jobs are queued in advance, because this process runs kernels
 * meanwhile. */
enum { MAX_WORKERS = 8, QUEUE = 16, LOOK_MS = 100 };

static Compiled compile_job(const void *context, int job) {
  const Ahead *h = context;
  const BatchItem *item = &h->batch->item[job / PARTS];
  Arena *a = arena_new();
  BatchItem part;
  JitForm form;
  Compiled out = {.job = job, .status = JIT_OK};
  if (run_part(h->runner, a, item, (Part)(job % PARTS), &part, &form))
    out = workers_compile(a, h->runner, &part, form, job);
  arena_free(a);
  return out;
}

static bool is_missing(const Runner *r, Arena *a, const BatchItem *item, Part part) {
  BatchItem made;
  JitForm form;
  return run_part(r, a, item, part, &made, &form) &&
         !jit_is_cached(a, &r->cache, form, run_arch(r, made.spec), &made.out);
}

/* Candidates of a sweep that differ only in what is timed have one source, which is compiled
 * once. */
static bool is_repeated(const Batch *b, uint64_t *source, int i) {
  const char *text = b->item[i].out.text;
  int first = 0;
  source[i] = hash_bytes(HASH_START, text, strlen(text));
  while (source[first] != source[i]) first++;
  return first < i;
}

/* A control takes longer to generate than to look up: it is requested only if its kernel is
 * missing, and then counts as missing, too. */
static void list_jobs(Ahead *h) {
  Arena *a = arena_new();
  uint64_t *source = ARENA_ARRAY(a, uint64_t, (size_t)h->batch->count);
  for (int i = 0; i < h->batch->count; i++) {
    const BatchItem *item = &h->batch->item[i];
    if (is_repeated(h->batch, source, i) || !is_missing(h->runner, a, item, PART_KERNEL)) continue;
    for (int part = 0; part < (h->runner->device ? PARTS : PART_CONTROL); part++) {
      const int job = PARTS * i + part;
      h->job[h->jobs++] = job;
      h->left[job] = true;
    }
  }
  arena_free(a);
}

static void feed(Ahead *h) {
  while (h->given < h->jobs && workers_have_room(&h->workers))
    workers_give(&h->workers, h->job[h->given++]);
}

void ahead_start(const Runner *r, const Batch *batch, Ahead *out) {
  const size_t parts = PARTS * (size_t)batch->count;
  *out = (Ahead){.runner = r, .batch = batch};
  if (!r->cache.folder || !r->cache.writable) return;
  out->job = ARENA_ARRAY(r->arena, int, parts);
  out->left = ARENA_ARRAY(r->arena, bool, parts);
  out->compiled = ARENA_ARRAY(r->arena, Compiled, parts);
  list_jobs(out);
  const WorkersOrder order = {
      .compile = compile_job, .context = out, .count = cores_count(MAX_WORKERS), .queue = QUEUE};
  Text ignored = text_new(r->arena);
  if (out->jobs > 1 && workers_start(r->arena, &order, &out->workers, &ignored)) feed(out);
}

static void take(Ahead *h, int ms) {
  Compiled c;
  for (; workers_take(&h->workers, ms, &c); ms = 0) {
    h->compiled[c.job] = c;
    h->left[c.job] = false;
  }
}

static bool is_awaited(const Ahead *h, int i) {
  return h->workers.busy > 0 &&
         (h->left[PARTS * i + PART_KERNEL] || h->left[PARTS * i + PART_CONTROL]);
}

void ahead_wait(Ahead *h, int i) {
  for (int ms = 0; h->workers.count; ms = LOOK_MS) {
    take(h, ms);
    feed(h);
    if (!is_awaited(h, i)) return;
  }
}

void ahead_record_outcome(const Ahead *h, int i, Jit *machine) {
  if (!h->compiled) return;
  const Compiled *c = &h->compiled[PARTS * i + PART_KERNEL];
  if (c->ms == 0 || c->status != JIT_OK) return;
  machine->cached = false;
  machine->ms = c->ms;
}

void ahead_stop(Ahead *h) { workers_stop(&h->workers); }
