/* SPDX-License-Identifier: MIT */
#include "tune/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cores.h"
#include "base/number.h"
#include "command/progress.h"
#include "device/clock.h"
#include "judge/workers.h"
#include "tune/finals.h"
#include "tune/next_point.h"
#include "tune/record.h"
#include "tune/watchdog.h"

enum {
  SCREEN_SAMPLES = 5,
  FINALISTS = 4,
  SURVIVORS = 24,
  PROCESSES = 3,
  MAX_WORKERS = 64,
  WORKER_QUEUE = 2, /* maximum number of points per worker: one more than it works on */
  HANGS_SECONDS = 120
};
static const double space_share = 0.2; /* share of the time for the model */
/* share of the time for the search; the rest is for finalists */
static const double screen_share = 0.7;
/* relative difference that buffer placement alone may cause */
static const double near_best = 1.05;

typedef struct {
  Tuning *tuning;
  Arena *arena;
  Tuned *out;
  const Space *space;
  Recorder recorder;
  Bench bench;
  Watchdog watchdog;
  Workers workers;
  Mark *mark;
  int best, turn;                /* point, -1: none yet */
  double start, end, screen_end; /* milliseconds of the clock */
} Search;

/* --- the end --- */

static bool time_is_up(Search *s, double end) {
  return tuning_stops(s->tuning) || clock_ms() >= end;
}

/* --- progress --- */

static void tell(Search *s, bool news) {
  const Options *o = s->tuning->options;
  const bool watched = isatty(STDERR_FILENO);
  if (o->quiet || (!watched && !news)) return;
  const double left = (s->end - clock_ms()) / 1000;
  Arena *a = arena_new();
  Text line = text_screen(a);
  text_printf(&line, "kgen: %s: %d of %d measured, %.0f s left", s->space->base->name,
              s->out->measured + s->out->known, s->space->points, left > 0 ? left : 0);
  if (s->best >= 0)
    text_printf(&line, ", best %.4g %s: %s", s->mark[s->best].value, unit_name[s->out->key.unit],
                s->space->point[s->best].label);
  if (watched)
    progress_show(line.s);
  else
    fprintf(stderr, "%s\n", line.s);
  arena_free(a);
}

static void end_line(const Search *s) {
  if (!s->tuning->options->quiet && isatty(STDERR_FILENO)) progress_show("");
}

/* --- points that the model excludes --- */

/* A lower bound: on the emulator the wavefronts; on a GPU half of the time in which all SMs process
 * the planned wavefronts (half because the timed launch need not consist of full tiles). */
static double least_value(const Search *s, const Point *p) {
  const Device *d = s->tuning->runner->device;
  if (s->out->key.unit == UNIT_COUNTS) return p->wavefronts;
  return d && d->wavefronts_per_ms > 0 ? p->total / d->wavefronts_per_ms / 2 : 0;
}

static void prune(Search *s) {
  for (int i = 0; i < s->space->points && s->best >= 0; i++) {
    Mark *m = &s->mark[i];
    if ((m->state != POINT_OPEN && m->state != POINT_COMPILED) ||
        least_value(s, &s->space->point[i]) <= s->mark[s->best].value)
      continue;
    m->state = POINT_PRUNED;
    s->out->pruned++;
  }
}

static void note_value(Search *s, int point, double value) {
  s->mark[point].state = POINT_MEASURED;
  s->mark[point].value = value;
  const bool better = s->best < 0 || value < s->mark[s->best].value;
  if (better) s->best = point;
  if (better) prune(s);
}

static void note_fault(Search *s, int point, Fault fault, const char *why) {
  s->mark[point].state = POINT_INVALID;
  s->out->invalid++;
  record_fault(&s->recorder, &s->space->point[point], fault, why);
}

/* --- one point --- */

static Fault measure_time(Search *s, Entry *e, Timing *out) {
  double sample[SCREEN_SAMPLES];
  Fault f = bench_prepare(&s->bench, e);
  for (int i = 0; i < SCREEN_SAMPLES && f == FAULT_NONE; i++)
    f = bench_sample(&s->bench, e, &sample[i]);
  if (f == FAULT_NONE) *out = measure_summary(sample, SCREEN_SAMPLES);
  return f;
}

static Fault measure_count(Search *s, Entry *e, Timing *out) {
  *out = (Timing){.samples = 1};
  return bench_count(&s->bench, e, &out->median);
}

static void measure_point(Search *s, int i) {
  const Point *p = &s->space->point[i];
  const bool counts = s->out->key.unit == UNIT_COUNTS;
  Entry e;
  Timing t;
  watchdog_announce(&s->watchdog, i);
  Fault f = bench_load(&s->bench, p, true, &e);
  if (f == FAULT_NONE) f = (counts ? measure_count : measure_time)(s, &e, &t);
  if (f == FAULT_NONE) {
    record_timing(&s->recorder, p, counts, &t, bench_placement(s->arena, &s->bench));
    note_value(s, i, t.median);
  } else {
    const char *why = bench_reason(s->arena, &s->bench);
    note_fault(s, i, f, why);
    if (f == FAULT_RUNTIME && !backend_lives(s->tuning->runner->device))
      tuning_break(s->tuning, p->label, why);
  }
  bench_unload(&s->bench, &e);
  watchdog_announce(&s->watchdog, -1);
  s->out->measured++;
  tell(s, s->best == i);
}

/* --- compiling ahead --- */

static Compiled compile_point(const void *context, int job) {
  const Search *s = context;
  Arena *a = arena_new();
  const BatchItem item = space_item(a, s->space, &s->space->point[job]);
  const Compiled out = workers_compile(a, s->tuning->runner, &item, s->tuning->form, job);
  arena_free(a);
  return out;
}

static int next_in(Search *s, PointState state) {
  return next_point(s->space, s->mark, state, s->tuning->shard, s->tuning->shards, s->turn++);
}

static void feed(Search *s) {
  while (workers_have_room(&s->workers)) {
    const int next = next_in(s, POINT_OPEN);
    if (next < 0) return;
    s->mark[next].state = POINT_GIVEN;
    workers_give(&s->workers, next);
  }
}

static void note_compiled(Search *s, const Compiled *c) {
  Mark *m = &s->mark[c->job];
  m->state = POINT_COMPILED;
  s->out->compiled++;
  if (c->status == JIT_UNUSABLE) {
    text_printf(s->tuning->runner->messages, "kgen: %s\n", c->why);
    s->tuning->unusable = true;
  }
  if (c->status == JIT_REJECTED) note_fault(s, c->job, FAULT_COMPILE, c->why);
  /* The registers are known now: if no block fits, there is nothing to launch. */
  if (c->status == JIT_OK && c->registers > 0 && c->blocks == 0)
    note_fault(s, c->job, FAULT_RUNTIME, "no block fits an SM with its registers");
}

static void take_compiled(Search *s, int ms) {
  Compiled c;
  while (workers_take(&s->workers, ms, &c)) {
    note_compiled(s, &c);
    ms = 0;
  }
}

static bool is_any(const Search *s, PointState state) {
  const Tuning *t = s->tuning;
  return next_point(s->space, s->mark, state, t->shard, t->shards, 0) >= 0;
}

/* Measures the points that are compiled while others are being compiled. */
static void screen(Search *s) {
  enum { WAIT_MS = 50 };
  const bool measures = s->tuning->runner->device != NULL;
  while (!time_is_up(s, s->screen_end) && !tuning_has_failed(s->tuning)) {
    feed(s);
    const int next = measures ? next_in(s, POINT_COMPILED) : -1;
    if (next >= 0) measure_point(s, next);
    take_compiled(s, next < 0 ? WAIT_MS : 0);
    if (next < 0 && s->workers.busy == 0 && !is_any(s, POINT_OPEN) &&
        !(measures && is_any(s, POINT_COMPILED)))
      return;
  }
}

/* --- results of earlier runs --- */

static Choices what_is_known(Search *s) {
  const Tuning *t = s->tuning;
  Tuned *out = s->out;
  char hash[17];
  snprintf(hash, sizeof hash, "%016llx", (unsigned long long)out->key.spec);
  const WisdomTexts texts = wisdom_texts(s->arena, t->shipped);
  const Wisdom w = wisdom_parse(s->arena, &texts, hash);
  return choose_all(s->arena, &w, &out->key, &s->space->point[0].set);
}

static int point_of(const Space *s, const Values *set) {
  for (int i = 0; i < s->points; i++)
    if (values_equal(&s->point[i].set, set)) return i;
  return -1;
}

static void resume(Search *s) {
  const Choices known = what_is_known(s);
  for (int i = 0; i < known.count; i++) {
    const Choice *c = &known.choice[i];
    const int p = point_of(s->space, &c->set);
    if (p < 0 || s->mark[p].state != POINT_OPEN) continue;
    s->out->known++;
    if (c->invalid)
      s->mark[p].state = POINT_INVALID;
    else
      note_value(s, p, c->median);
  }
}

/* --- finalists --- */

static bool is_settled(const Choices *known, const Space *s, const int *points, int count) {
  for (int i = 0; i < count; i++) {
    bool found = false;
    for (int c = 0; c < known->count; c++)
      found = found || (known->choice[c].final && known->choice[c].records >= PROCESSES &&
                        values_equal(&known->choice[c].set, &s->point[points[i]].set));
    if (!found) return false;
  }
  return true;
}

typedef struct {
  int point;
  double value;
} Ranked;

static int by_rank(const void *x, const void *y) {
  const Ranked *a = x, *b = y;
  if (a->value != b->value) return a->value < b->value ? -1 : 1;
  return a->point - b->point;
}

/* The best points by one quick measurement each. Points within the effect of placement are kept, as
 * far as there is room. */
static int survivors(const Search *s, int points[SURVIVORS]) {
  Ranked *all = ARENA_ARRAY(s->arena, Ranked, (size_t)s->space->points);
  int count = 0, n = 0;
  for (int i = 0; i < s->space->points; i++)
    if (s->mark[i].state == POINT_MEASURED) all[count++] = (Ranked){i, s->mark[i].value};
  qsort(all, (size_t)count, sizeof *all, by_rank);
  while (n < count && n < SURVIVORS &&
         (n < FINALISTS || all[n].value <= all[0].value * near_best)) {
    points[n] = all[n].point;
    n++;
  }
  return n;
}

static void decide(Search *s) {
  int points[SURVIVORS] = {0};
  const Finals f = {s->tuning, &s->bench, &s->recorder, s->end};
  int n = survivors(s, points);
  const Choices known = what_is_known(s);
  if (s->out->measured == 0 && is_settled(&known, s->space, points, number_least(n, FINALISTS)))
    return;
  n = finals_halve(&f, points, n, FINALISTS);
  bench_close(&s->bench);
  if (n > 0 && !tuning_stops(s->tuning) && !tuning_has_failed(s->tuning))
    finals_fresh(&f, points, n, PROCESSES);
}

/* --- the whole search --- */

static bool start_workers(Search *s) {
  const Tuning *t = s->tuning;
  const WorkersOrder order = {.compile = compile_point,
                              .context = s,
                              .count = cores_count(MAX_WORKERS),
                              .queue = WORKER_QUEUE,
                              .held = &t->held};
  return is_any(s, POINT_OPEN) && workers_start(s->arena, &order, &s->workers, t->runner->messages);
}

static void count_left(Search *s) {
  for (int i = 0; i < s->space->points; i++) {
    const PointState state = s->mark[i].state;
    const bool waits = state == POINT_COMPILED && s->tuning->runner->device;
    s->out->left += (state == POINT_OPEN || state == POINT_GIVEN || waits) &&
                    space_in_shard(&s->space->point[i], s->tuning->shard, s->tuning->shards);
  }
}

static void run(Search *s) {
  const Device *d = s->tuning->runner->device;
  resume(s);
  if (d && d->backend->timed) s->watchdog = watchdog_start(&s->recorder, s->space, HANGS_SECONDS);
  if (start_workers(s)) screen(s);
  workers_stop(&s->workers);
  watchdog_stop(&s->watchdog);
  count_left(s);
  if (s->best >= 0 && s->out->key.unit == UNIT_MS && !tuning_has_failed(s->tuning) &&
      !tuning_stops(s->tuning))
    decide(s);
  bench_close(&s->bench);
  end_line(s);
  s->out->choices = what_is_known(s);
}

static void open_search(Search *s, Tuning *t, Arena *a, double seconds, Tuned *out) {
  const Device *d = t->runner->device;
  *s = (Search){.tuning = t, .arena = a, .out = out, .space = &out->space, .best = -1};
  s->start = clock_ms();
  s->end = s->start + seconds * 1000;
  s->screen_end = s->start + seconds * 1000 * (d && d->backend->timed ? screen_share : 1);
  out->key =
      choose_key(a, out->space.base, t->spec_options->templates, d ? d->name : "", t->toolkit,
                 d && d->backend->timed ? UNIT_MS : UNIT_COUNTS, t->options->tune.free);
  s->recorder = (Recorder){.file = t->file,
                           .key = out->key,
                           .name = out->space.base->name,
                           .arch = run_arch(t->runner, out->space.base),
                           .driver = d ? d->driver : "",
                           .messages = t->runner->messages,
                           .failed = &t->unkept};
  s->bench = bench_open(a, t->runner, &out->space);
  s->mark = ARENA_ARRAY(a, Mark, (size_t)out->space.points + 1);
}

static bool stops(void *context) { return tuning_stops(context); }

bool search_spec(Tuning *t, Arena *a, Diag *d, const char *path, double seconds, Tuned *out) {
  Search s;
  const double start = clock_ms();
  *out = (Tuned){.measured = 0};
  if (!space_make(a, d, path, t->spec_options, t->options->tune.free,
                  (SpaceLimit){start + seconds * 1000 * space_share, stops, t}, &out->space))
    return false;
  if (out->space.points) {
    open_search(&s, t, a, seconds - (clock_ms() - start) / 1000, out);
    run(&s);
  }
  out->seconds = (clock_ms() - start) / 1000;
  return true;
}

/* The task of the additional processes of finals_fresh(). */
bool search_only(Tuning *t, Arena *a, Diag *d, const char *path, const OptionList *only) {
  Search s;
  Tuned out = {.measured = 0};
  if (!space_find(a, d, path, t->spec_options, t->options->tune.free, only->count, only->item,
                  &out.space))
    return false;
  open_search(&s, t, a, 0, &out);
  int *points = ARENA_ARRAY(a, int, (size_t)out.space.points);
  for (int i = 0; i < out.space.points; i++) points[i] = i;
  const Finals f = {t, &s.bench, &s.recorder, s.end};
  if (out.key.unit == UNIT_MS)
    finals_measure(&f, points, out.space.points);
  else
    for (int i = 0; i < out.space.points; i++) measure_point(&s, i);
  bench_close(&s.bench);
  return true;
}
