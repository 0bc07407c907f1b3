/* SPDX-License-Identifier: MIT */
#include "tune/finals.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/number.h"
#include "device/clock.h"
#include "tune/self.h"

enum { ROUND_SAMPLES = 5, FINAL_SAMPLES = 15 };

/* --- interleaved measurement --- */

/* A finalist, which is measured interleaved with others. */
typedef struct {
  int point;
  Entry entry;
  Fault fault;
  const char *why; /* the reason of the fault */
  int samples;
  double *sample;
  Timing timing;
} Finalist;

/* A faulty finalist may leave a device that accepts no more calls. The other finalists are not at
 * fault, and end as they are. */
static void finalist_failed(const Finals *f, Arena *a, Finalist *r, Fault fault) {
  if (fault == FAULT_NONE) return;
  r->fault = fault;
  r->why = bench_reason(a, f->bench);
  if (fault == FAULT_RUNTIME && !backend_lives(f->bench->runner->device))
    tuning_break(f->tuning, f->bench->space->point[r->point].label, r->why);
}

static void open_finalist(const Finals *f, Arena *a, int point, int samples, bool check,
                          Finalist *out) {
  *out = (Finalist){.point = point, .sample = ARENA_ARRAY(a, double, (size_t)samples)};
  if (f->tuning->broken) return;
  Fault fault = bench_load(f->bench, &f->bench->space->point[point], check, &out->entry);
  if (fault == FAULT_NONE) fault = bench_prepare(f->bench, &out->entry);
  finalist_failed(f, a, out, fault);
}

static void sample(const Finals *f, Arena *a, Finalist *r) {
  if (r->fault != FAULT_NONE || f->tuning->broken) return;
  finalist_failed(f, a, r, bench_sample(f->bench, &r->entry, &r->sample[r->samples]));
  if (r->fault == FAULT_NONE) r->samples++;
}

/* Measures forwards, then backwards, so that a falling clock or a warming chip affects all
 * equally. */
static void sample_interleaved(const Finals *f, Arena *a, Finalist *r, int count, int samples) {
  for (int pass = 0; pass < samples && !tuning_stops(f->tuning); pass++)
    for (int i = 0; i < count; i++) sample(f, a, &r[pass % 2 ? count - 1 - i : i]);
}

static void open_finalists(const Finals *f, Arena *a, Finalist *r, const int *points, int count,
                           int samples, bool check) {
  for (int i = 0; i < count; i++) open_finalist(f, a, points[i], samples, check, &r[i]);
  sample_interleaved(f, a, r, count, samples);
  for (int i = 0; i < count; i++)
    if (r[i].fault == FAULT_NONE && r[i].samples)
      r[i].timing = measure_summary(r[i].sample, r[i].samples);
}

static void close_finalists(const Finals *f, Finalist *r, int count) {
  for (int i = 0; i < count; i++)
    if (r[i].entry.arena) bench_unload(f->bench, &r[i].entry);
}

/* Finalists that failed now, or were not reached, come last. */
static int by_time(const void *x, const void *y) {
  const Finalist *a = x, *b = y;
  if (!a->samples != !b->samples) return a->samples ? -1 : 1;
  return (a->timing.median > b->timing.median) - (a->timing.median < b->timing.median);
}

static bool goes_on(const Finals *f) {
  return clock_ms() < f->end && !tuning_stops(f->tuning) && !tuning_has_failed(f->tuning);
}

/* Reports finalists that failed, which get no record. */
static void report_faults(const Finals *f, const Finalist *r, int count) {
  for (int i = 0; i < count && !f->tuning->broken; i++)
    if (r[i].why) text_puts(f->tuning->runner->messages, r[i].why);
}

int finals_halve(const Finals *f, int *points, int count, int keep) {
  for (int round = 1; count > keep && goes_on(f); round++) {
    Arena *a = arena_new();
    Finalist *r = ARENA_ARRAY(a, Finalist, (size_t)count);
    open_finalists(f, a, r, points, count, ROUND_SAMPLES * round, false);
    close_finalists(f, r, count);
    report_faults(f, r, count);
    qsort(r, (size_t)count, sizeof *r, by_time);
    count = (count + 1) / 2 > keep ? (count + 1) / 2 : keep;
    for (int i = 0; i < count; i++) points[i] = r[i].point;
    arena_free(a);
  }
  return number_least(count, keep);
}

/* --- records --- */

static void put_record(const Finals *f, const Finalist *r, const char *place) {
  const Point *p = &f->bench->space->point[r->point];
  if (r->fault != FAULT_NONE)
    record_fault(f->recorder, p, r->fault, r->why);
  else if (r->samples)
    record_timing(f->recorder, p, true, &r->timing, place);
}

void finals_measure(const Finals *f, const int *points, int count) {
  Arena *a = arena_new();
  Finalist *r = ARENA_ARRAY(a, Finalist, (size_t)count);
  open_finalists(f, a, r, points, count, FINAL_SAMPLES, true);
  const char *place = bench_placement(a, f->bench);
  for (int i = 0; i < count; i++) put_record(f, &r[i], place);
  close_finalists(f, r, count);
  arena_free(a);
}

/* --- other processes --- */

static WordList command_of(Arena *a, const Finals *f, const int *points, int count) {
  const Space *s = f->bench->space;
  WordList w = self_command(a, f->tuning);
  for (int i = 0; i < count; i++) self_add_option(&w, "--only", s->point[points[i]].label);
  self_add_option(&w, "--", s->path);
  return w;
}

void finals_fresh(const Finals *f, const int *points, int count, int processes) {
  Arena *a = arena_new();
  const WordList w = command_of(a, f, points, count);
  bool ok = file_is_regular(f->bench->space->path);
  double took = 0;
  for (int i = 0; i < processes && ok && !tuning_stops(f->tuning); i++) {
    const double begin = clock_ms();
    pid_t child;
    if (i && begin + took > f->end) break;
    ok =
        self_start(f->tuning, &w, f->recorder->file, NULL, &child) && self_finish(f->tuning, child);
    took = clock_ms() - begin;
  }
  arena_free(a);
  if (!ok && !tuning_stops(f->tuning)) finals_measure(f, points, count);
}
