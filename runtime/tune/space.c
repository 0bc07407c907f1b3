/* SPDX-License-Identifier: MIT */
#include "tune/space.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/cores.h"
#include "base/hash.h"
#include "device/clock.h"
#include "judge/run.h"
#include "model/occupancy.h"
#include "spec/expr_eval.h"
#include "spec/spec_tune.h"

enum { MAX_THREADS = 64 };

/* --- a combination --- */

static void settings_at(const Space *s, int64_t i, Setting *out) {
  for (int x = s->axes - 1; x >= 0; x--) {
    const TuneAxis *axis = &s->axis[x];
    out[x] = (Setting){.name = axis->name, .text = axis->value[i % axis->values]};
    i /= axis->values;
  }
}

static BatchItem make_item(Arena *a, Diag *d, const Space *s, int settings,
                           const Setting *setting) {
  SpecOptions options = *s->options;
  BatchItem item;
  options.settings = settings;
  options.setting = setting;
  options.source = s->base ? s->base->source : options.source;
  return batch_make(a, d, s->path, &options, &item) ? item : (BatchItem){.spec = NULL};
}

BatchItem space_item(Arena *a, const Space *s, const Point *p) {
  const BatchItem item = make_item(a, diag_new(a), s, p->settings, p->setting);
  if (!item.spec) die("%s: %s", s->path, p->label);
  return item;
}

bool space_in_shard(const Point *p, int shard, int shards) {
  return shards <= 1 || p->identity % (uint64_t)shards == (uint64_t)shard - 1;
}

/* --- predictions of the model for a combination --- */

static Values values_of(Arena *a, const Space *s, const Spec *spec) {
  Param *param = ARENA_ARRAY(a, Param, (size_t)s->axes);
  for (int i = 0; i < s->axes; i++)
    param[i] = (Param){s->axis[i].name, tune_value(spec, &s->axis[i])};
  return (Values){s->axes, param};
}

/* KiB read plus written, or thousands of operations; scales with the extents of a launch. */
static double work_of(const Problem *p) {
  return p->spec->problem->flops ? (double)p->flops / 1000 : (double)p->bytes / 1024;
}

static double wavefronts_at(Arena *a, const BatchItem *item, const int64_t *extents, double *work,
                            uint64_t *launch) {
  Problem p;
  if (!problem_make(a, diag_new(a), item->spec, extents, &p)) die("unprepared problem");
  const PlanWavefronts w = run_predict(a, item->plan, &p);
  *work = work_of(&p);
  *launch = hash_bytes(hash_bytes(*launch, p.grid, sizeof p.grid), p.cluster, sizeof p.cluster);
  return (double)(w.load + w.store + w.copy + w.wgmma);
}

/* Evaluates a combination. */
typedef struct {
  bool admissible;
  uint64_t kernel; /* its source and its launch */
  Point point;
} Outcome;

static void judge_item(Arena *keep, Arena *a, const Space *s, const BatchItem *item, Outcome *out) {
  const Spec *spec = item->spec;
  const int *block = spec->block;
  Point *p = &out->point;
  double ignored;
  p->set = values_of(keep, s, spec);
  p->label = values_text(keep, &p->set);
  p->identity = hash_bytes(HASH_START, p->label, strlen(p->label));
  p->threads = block[0] * block[1] * block[2];
  p->shared_bytes = item->plan->shared_bytes;
  p->blocks = occupancy_blocks(spec->arch, p->threads, 0, p->shared_bytes);
  out->kernel = hash_bytes(HASH_START, item->out.text, strlen(item->out.text));
  out->kernel = hash_bytes(out->kernel, block, sizeof spec->block);
  p->total = wavefronts_at(a, item, spec->problem->bench, &ignored, &out->kernel);
  p->wavefronts = wavefronts_at(a, item, spec->problem->exact, &p->work, &out->kernel) / p->work;
  out->admissible = p->blocks > 0;
}

static void judge_settings(Arena *keep, const Space *s, int settings, const Setting *setting,
                           Outcome *out) {
  Arena *a = arena_new();
  Diag *d = diag_new(a);
  BatchItem item = make_item(a, d, s, settings, setting);
  out->point = (Point){.settings = settings, .setting = setting};
  if (item.spec && run_prepare(a, d, &item)) judge_item(keep, a, s, &item, out);
  arena_free(a);
}

/* --- all of them, on all cores --- */

typedef struct {
  const Space *space;
  int tries;
  SpaceLimit limit;
  atomic_bool ends;
  atomic_int next;
  Outcome *outcome;
} Trial;

typedef struct {
  Trial *trial;
  Arena *arena; /* arena for the results; one per thread */
  bool first;
  pthread_t thread;
} Trier;

/* If there are more combinations than are tried, samples them evenly: one from each of that number
 * of equal parts, at a varying position within the part. */
static int64_t combination_of(const Space *s, int i, int tries) {
  enum { PRIME = 4999 };
  const int64_t part = s->combinations / tries;
  if (tries % PRIME) /* the samples that fit the time are spread over the whole space */
    i = (int)((int64_t)i * PRIME % tries);
  return part * i + (int64_t)i * 2654435761 % part;
}

/* The first thread, the caller's, checks the limit for all. */
static bool ends(const Trier *me) {
  Trial *t = me->trial;
  if (me->first &&
      (clock_ms() >= t->limit.end || (t->limit.stops && t->limit.stops(t->limit.context))))
    atomic_store(&t->ends, true);
  return atomic_load(&t->ends);
}

static void *try_some(void *context) {
  Trier *me = context;
  Trial *t = me->trial;
  /* Templates must not be shared between threads. */
  SpecOptions options = *t->space->options;
  options.templates = templates_open(me->arena, templates_dir(options.templates));
  Space space = *t->space;
  space.options = &options;
  for (int i; !ends(me) && (i = atomic_fetch_add(&t->next, 1)) < t->tries;) {
    Setting *setting = ARENA_ARRAY(me->arena, Setting, (size_t)t->space->axes);
    settings_at(t->space, combination_of(t->space, i, t->tries), setting);
    judge_settings(me->arena, &space, space.axes, setting, &t->outcome[i]);
  }
  return NULL;
}

/* Memory allocated by a thread is kept in the arena of the space. */
static void try_all(Arena *a, Trial *t) {
  const int n = cores_count(MAX_THREADS);
  Trier *trier = ARENA_ARRAY(a, Trier, (size_t)n);
  for (int i = 0; i < n; i++) {
    trier[i] = (Trier){.trial = t, .arena = arena_new(), .first = i == 0};
    if (i && pthread_create(&trier[i].thread, NULL, try_some, &trier[i]) != 0)
      trier[i].trial = NULL;
  }
  try_some(&trier[0]);
  for (int i = 1; i < n; i++)
    if (trier[i].trial) pthread_join(trier[i].thread, NULL);
  for (int i = 0; i < n; i++) arena_adopt(a, trier[i].arena);
}

/* --- the points --- */

static int by_kernel(const void *x, const void *y) {
  const Outcome *a = *(const Outcome *const *)x, *b = *(const Outcome *const *)y;
  if (a->kernel != b->kernel) return a->kernel < b->kernel ? -1 : 1;
  return (a > b) - (a < b);
}

/* The first of several combinations with the same kernel and launch is kept. */
static void drop_twins(Arena *a, Space *s, Outcome *all, int count) {
  Outcome **order = ARENA_ARRAY(a, Outcome *, (size_t)count);
  int n = 0;
  for (int i = 0; i < count; i++)
    if (all[i].admissible) order[n++] = &all[i];
  s->inadmissible = count - n;
  qsort(order, (size_t)n, sizeof *order, by_kernel);
  for (int i = 1; i < n; i++)
    if (order[i]->kernel == order[i - 1]->kernel) {
      order[i]->admissible = false;
      s->twins++;
    }
}

/* Fewest wavefronts first; equal ones in an order unrelated to the axes. */
static int by_promise(const void *x, const void *y) {
  const Point *a = x, *b = y;
  if (a->wavefronts != b->wavefronts) return a->wavefronts < b->wavefronts ? -1 : 1;
  return (a->identity > b->identity) - (a->identity < b->identity);
}

static void collect(Arena *a, Space *s, const Outcome *all, int count) {
  s->point = ARENA_ARRAY(a, Point, (size_t)count);
  for (int i = 0; i < count; i++)
    if (all[i].admissible) s->point[s->points++] = all[i].point;
  qsort(s->point + 1, (size_t)s->points - 1, sizeof *s->point, by_promise);
}

static void choose_axes(Arena *a, Space *s, bool freed) {
  TuneAxis *axis = ARENA_ARRAY(a, TuneAxis, MAX_AXES);
  s->combinations = 1;
  for (int i = 0; i < s->base->axes; i++) {
    const TuneAxis *x = &s->base->axis[i];
    if ((x->given && !freed) || x->values == 0) continue;
    axis[s->axes++] = *x;
    if (s->combinations <= INT64_MAX / MAX_AXIS_VALUES) s->combinations *= x->values;
  }
  s->axis = axis;
}

static bool open_space(Arena *a, Diag *d, const char *path, const SpecOptions *options, bool freed,
                       Space *out) {
  *out = (Space){.path = path, .options = options};
  BatchItem base = make_item(a, d, out, 0, NULL);
  if (!base.spec || !run_prepare(a, d, &base)) return false;
  out->base = base.spec;
  choose_axes(a, out, freed);
  return true;
}

bool space_make(Arena *a, Diag *d, const char *path, const SpecOptions *options, bool freed,
                SpaceLimit limit, Space *out) {
  if (!open_space(a, d, path, options, freed, out)) return false;
  if (!out->base->problem || out->axes == 0) return true;
  out->tried = out->combinations <= SPACE_MAX_TRIES ? (int)out->combinations : SPACE_MAX_TRIES;
  Outcome *all = ARENA_ARRAY(a, Outcome, (size_t)out->tried + 1);
  judge_settings(a, out, 0, NULL, &all[0]);
  Trial t = {.space = out, .tries = out->tried, .limit = limit, .outcome = all + 1};
  if (!all[0].admissible) return true;
  try_all(a, &t);
  if (atomic_load(&t.next) < out->tried) out->tried = atomic_load(&t.next);
  drop_twins(a, out, all, out->tried + 1);
  collect(a, out, all, out->tried + 1);
  return true;
}

static const char *names_text(Arena *a, const Space *s) {
  Text t = text_new(a);
  for (int i = 0; i < s->axes; i++) text_printf(&t, "%s%s", i ? ", " : "", s->axis[i].name);
  return t.s;
}

/* True if the point has all requested values. A requested value that is not searched matches no
 * point, which would otherwise be measured and recorded as something else. */
static bool has_values(const Point *p, const Values *asked) {
  for (int i = 0; i < asked->count; i++) {
    const Param *value = values_find(&p->set, asked->param[i].name);
    if (!value || value->value != asked->param[i].value) return false;
  }
  return true;
}

static bool find_point(Arena *a, Diag *d, const Space *s, const char *label, Point *out) {
  Values v;
  Outcome one = {.admissible = false};
  if (!values_parse(a, label, &v)) v.count = 0;
  Setting *setting = ARENA_ARRAY(a, Setting, (size_t)v.count);
  for (int i = 0; i < v.count; i++)
    setting[i] = (Setting){.name = v.param[i].name, .value = (int)v.param[i].value};
  if (v.count) judge_settings(a, s, v.count, setting, &one);
  *out = one.point;
  if (one.admissible && has_values(out, &v)) return true;
  diag_error(d, s->base->name_loc, "'%s' is not a configuration that this spec can have", label);
  diag_hint(d, "what is searched here: %s", s->axes ? names_text(a, s) : "nothing");
  return false;
}

bool space_find(Arena *a, Diag *d, const char *path, const SpecOptions *options, bool freed,
                int count, const char *const *label, Space *out) {
  if (!open_space(a, d, path, options, freed, out)) return false;
  bool ok = true;
  out->point = ARENA_ARRAY(a, Point, (size_t)count);
  while (ok && out->points < count) {
    ok = find_point(a, d, out, label[out->points], &out->point[out->points]);
    out->points += ok;
  }
  return ok;
}
