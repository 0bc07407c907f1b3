/* SPDX-License-Identifier: MIT */
#include "tune/bench.h"

#include <inttypes.h>
#include <unistd.h>

#include "judge/binding.h"

const char *const fault_name[] = {"none", "compile", "runtime", "correctness", "timeout"};

/* --- buffers --- */

static Problem problem_of(Arena *a, const Spec *s) {
  Problem p;
  if (!problem_make(a, diag_new(a), s, s->problem->bench, &p))
    die("%s: unprepared problem", s->name);
  return p;
}

Bench bench_open(Arena *a, Runner *r, const Space *s) {
  return (Bench){.runner = r, .space = s, .arena = a};
}

static void release(Bench *b) {
  for (int i = 0; i < b->copies; i++) bound_free(b->runner->device, &b->bound[i]);
  b->copies = 0;
  b->problem = NULL;
}

void bench_close(Bench *b) { release(b); }

/* Allocates all buffers on the first call, and again when a point needs larger ones. They outlive
 * the point. */
static bool acquire(Bench *b, const Point *point) {
  Device *d = b->runner->device;
  Problem *p = ARENA_NEW(b->arena, Problem);
  release(b);
  const BatchItem item = space_item(b->arena, b->space, point);
  const unsigned shared = (unsigned)item.plan->shared_bytes;
  *p = problem_of(b->arena, item.spec);
  const int copies = measure_copies(d, p->bytes);
  b->bound = ARENA_ARRAY(b->arena, Bound, (size_t)copies);
  bool ok = true;
  while (ok && b->copies < copies) {
    ok = bound_make(b->arena, d, p, NULL, shared, &b->bound[b->copies]);
    if (ok) ok = bound_upload_random(d, &b->bound[b->copies++], b->runner->seed);
  }
  b->problem = p;
  return ok;
}

static bool borrow(Bench *b, Entry *e) {
  const unsigned shared = (unsigned)e->run.solved.item.plan->shared_bytes;
  e->bound = ARENA_ARRAY(e->arena, Bound, (size_t)b->copies);
  e->list = ARENA_ARRAY(e->arena, Launch, (size_t)b->copies);
  for (e->copies = 0; e->copies < b->copies; e->copies++) {
    Bound *own = &e->bound[e->copies];
    if (!bound_borrow(e->arena, b->runner->device, &e->problem, &b->bound[e->copies],
                      e->run.solved.module, shared, own))
      return false;
    e->list[e->copies] = own->launch;
  }
  return e->copies > 0;
}

static void give_back(Bench *b, Entry *e) {
  for (int i = 0; i < e->copies; i++) bound_free(b->runner->device, &e->bound[i]);
  e->copies = 0;
}

/* --- points --- */

static Fault fault_of(const Run *run) {
  switch (run->exit_code) {
  case 0: return FAULT_NONE;
  case EXIT_WRONG: return FAULT_CORRECTNESS;
  case EXIT_REJECTED: return FAULT_COMPILE;
  default: return FAULT_RUNTIME;
  }
}

Fault bench_load(Bench *b, const Point *p, bool check, Entry *out) {
  *out = (Entry){.arena = arena_new(), .point = p};
  BatchItem *item = ARENA_NEW(out->arena, BatchItem);
  Arena *own = b->runner->arena;
  *item = space_item(out->arena, b->space, p);
  item->label = arena_printf(out->arena, "%s %s", item->spec->name, p->label);
  b->runner->arena = out->arena;
  if (run_load(b->runner, item, &out->run) && check) run_check(b->runner, &out->run);
  b->runner->arena = own;
  return fault_of(&out->run);
}

void bench_unload(Bench *b, Entry *e) {
  give_back(b, e);
  run_close(b->runner, &e->run);
  arena_free(e->arena);
}

Fault bench_count(Bench *b, Entry *e, double *out) {
  const Counters *c = &e->run.solved.counted;
  run_count(b->runner, &e->run);
  *out = (double)(c->load + c->store + c->copy + c->wgmma + c->load_sectors + c->store_sectors) /
         e->point->work;
  return fault_of(&e->run);
}

/* After a failing call the device is not used again. */
static Fault fail(const Bench *b) {
  text_printf(b->runner->messages, "kgen: %s\n", b->runner->device->error.s);
  b->runner->device->error = text_new(b->runner->device->arena);
  return FAULT_RUNTIME;
}

Fault bench_prepare(Bench *b, Entry *e) {
  e->problem = problem_of(e->arena, e->run.solved.item.spec);
  const bool fits = b->problem && borrow(b, e);
  if (!fits) give_back(b, e);
  if (!fits && !(acquire(b, e->point) && borrow(b, e))) return fail(b);
  return measure_runs(b->runner->device, e->list, e->copies, &e->runs) ? FAULT_NONE : fail(b);
}

Fault bench_sample(Bench *b, Entry *e, double *ms) {
  Device *d = b->runner->device;
  if (!d->backend->time(d, e->list, e->copies, e->runs, ms)) return fail(b);
  *ms /= e->runs;
  return FAULT_NONE;
}

const char *bench_reason(Arena *a, const Bench *b) {
  Text *m = b->runner->messages;
  const char *text = arena_strndup(a, m->s, m->len);
  *m = text_new(m->arena);
  return text;
}

const char *bench_placement(Arena *a, const Bench *b) {
  const uint64_t at = b->copies ? b->bound[0].memory[0] : 0;
  return arena_printf(a, "process %ld, address %" PRIx64, (long)getpid(), at);
}
