/* SPDX-License-Identifier: MIT */
#include "tune/record.h"

#include <string.h>
#include <time.h>

static void append(Recorder *r, const WisdomRecord *record) {
  Arena *a = arena_new();
  Diag *diag = diag_new(a);
  if (!wisdom_append(a, r->file, record, diag) && !*r->failed) {
    text_printf(r->messages, "kgen: %s: measurements are not kept\n", diag_first(diag));
    *r->failed = true;
  }
  arena_free(a);
}

static WisdomRecord record_of(const Recorder *r, const Point *p) {
  return (WisdomRecord){.key = r->key,
                        .name = r->name,
                        .arch = r->arch,
                        .driver = r->driver,
                        .set = p->set,
                        .at = (int64_t)time(NULL)};
}

void record_timing(Recorder *r, const Point *p, bool final, const Timing *t, const char *place) {
  WisdomRecord w = record_of(r, p);
  w.final = final;
  w.median = t->median;
  w.noise = t->noise;
  w.samples = t->samples;
  w.place = place;
  append(r, &w);
}

/* A line is one write: long messages of the compiler or of a check are truncated. */
void record_fault(Recorder *r, const Point *p, Fault fault, const char *why) {
  enum { MAX_WHY = 300 };
  Arena *a = arena_new();
  WisdomRecord w = record_of(r, p);
  w.invalid = fault_name[fault];
  w.why = arena_strndup(a, why, strnlen(why, MAX_WHY));
  append(r, &w);
  arena_free(a);
}
