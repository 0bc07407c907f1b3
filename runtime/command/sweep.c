/* SPDX-License-Identifier: MIT */
#include "command/sweep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "judge/run.h"

/* --- NAME=VALUES --- */

static bool is_pad(const char *name) {
  const char *dot = strrchr(name, '.');
  return strcmp(dot ? dot + 1 : name, "pad") == 0;
}

/* An int at *at, which moves past it. */
static bool parse_int(const char **at, int *out) {
  char *end;
  errno = 0;
  const long v = strtol(*at, &end, 10);
  if (end == *at || errno || v < INT32_MIN || v > INT32_MAX) return false;
  *at = end;
  *out = (int)v;
  return true;
}

/* V or A..B */
static bool parse_range(const char **at, int *first, int *last) {
  if (!parse_int(at, first)) return false;
  *last = *first;
  if (strncmp(*at, "..", 2) != 0) return true;
  *at += 2;
  return parse_int(at, last);
}

static const char *add_range(SweepAxis *x, int first, int last) {
  if (first > last) return "a range goes upwards";
  if (x->pad && (first < 0 || last > MAX_PAD)) return "a pad is from 0 to 1024";
  for (int64_t v = first; v <= last; v++) {
    if (x->count == SWEEP_MAX_CANDIDATES) return "more than 256 values";
    x->value[x->count++] = (int)v;
  }
  return NULL;
}

/* Parses the values. Returns the error, or NULL. */
static const char *parse_values(SweepAxis *x, const char *at) {
  for (;; at++) {
    int first, last;
    if (!parse_range(&at, &first, &last) || (*at && *at != ','))
      return "not NAME=VALUES, where VALUES are a number, a range A..B, or several with commas";
    const char *wrong = add_range(x, first, last);
    if (wrong || !*at) return wrong;
  }
}

static const char *parse_axis(Arena *a, const char *text, SweepAxis *x) {
  const char *equals = strchr(text, '=');
  if (!equals || equals == text) return parse_values(x, "");
  x->name = arena_strndup(a, text, (size_t)(equals - text));
  x->pad = is_pad(x->name);
  return parse_values(x, equals + 1);
}

static const char *add_axis(Sweep *s, const SweepAxis *x) {
  for (int i = 0; i < s->axes; i++)
    if (strcmp(s->axis[i].name, x->name) == 0) return "given twice";
  if (s->axes == SWEEP_MAX_AXES) return "more than 8 sweeps";
  const int at = x->pad ? s->axes : s->axes - s->pads;
  memmove(&s->axis[at + 1], &s->axis[at], (size_t)(s->axes - at) * sizeof *x);
  s->axis[at] = *x;
  s->axes++;
  s->pads += x->pad;
  return NULL;
}

/* The number of combinations of the axes from..to-1. */
static int64_t product(const Sweep *s, int from, int to) {
  int64_t n = 1;
  for (int i = from; i < to; i++) n *= s->axis[i].count; /* at most 256^2: sweep_parse */
  return n;
}

bool sweep_parse(Arena *a, const Options *o, Sweep *out, Diag *diag) {
  *out = (Sweep){.arena = a};
  for (int i = 0; i < o->sweep.count; i++) {
    SweepAxis x = {0};
    const char *wrong = parse_axis(a, o->sweep.item[i], &x);
    if (!wrong) wrong = add_axis(out, &x);
    if (!wrong && product(out, 0, out->axes) > SWEEP_MAX_CANDIDATES)
      wrong = "more than 256 combinations";
    if (!wrong && x.pad && o->layout) wrong = "a pad is a layout, so --layout does not go with it";
    if (!wrong) continue;
    diag_say(diag, DIAG_ARGUMENT, "sweep of %s: %s", o->sweep.item[i], wrong);
    return false;
  }
  return true;
}

/* --- what the spec has --- */

typedef struct {
  int count;
  const char *name[1 + MAX_TILES + MAX_PARAMS + 2 * MAX_SIZES];
} SweepNames;

static SweepNames names_of(Arena *a, const Spec *spec) {
  SweepNames n = {1, {"pad"}};
  for (int t = 0; t < spec->tiles && spec->many; t++)
    n.name[n.count++] = arena_printf(a, "%s.pad", spec->tile[t].tile.name);
  for (int p = 0; p < spec->params; p++) n.name[n.count++] = spec->param[p].name;
  for (int i = 0; i < spec->sizes; i++) n.name[n.count++] = spec->size[i].name;
  for (int i = 0; i < spec->sizes; i++)
    if (spec->size[i].old) n.name[n.count++] = spec->size[i].old;
  return n;
}

static bool names_exist(const Sweep *s, const Spec *spec, Diag *diag) {
  const SweepNames names = names_of(s->arena, spec);
  for (int i = 0; i < s->axes; i++) {
    bool known = false;
    for (int n = 0; n < names.count; n++)
      known = known || strcmp(names.name[n], s->axis[i].name) == 0;
    if (known) continue;
    const char *near = diag_nearest(s->axis[i].name, names.name, names.count);
    diag_say(diag, DIAG_ARGUMENT, "sweep of %s: %s has no such pad, parameter or size%s%s%s",
             s->axis[i].name, spec->name, near ? "; did you mean " : "", near ? near : "",
             near ? "?" : "");
    return false;
  }
  return true;
}

/* --- candidates --- */

/* A spec that is being swept: all of its candidates spend from one budget. */
typedef struct {
  Sweep *sweep;
  Batch *batch;
  const char *path, *name; /* the spec's */
  const SpecOptions *options;
  const Source *source; /* text of the spec once it was read */
  bool run;
  Budget *budget;
} Expansion;

/* The combination with number i of the axes from..to-1; the last axis varies fastest. */
static void settings_at(const Sweep *s, int64_t i, int from, int to, Setting *out) {
  for (int x = to - 1; x >= from; x--) {
    const SweepAxis *axis = &s->axis[x];
    out[x] = (Setting){.name = axis->name, .value = axis->value[i % axis->count]};
    i /= axis->count;
  }
}

static const char *label_of(Arena *a, const char *name, int settings, const Setting *setting) {
  Text t = text_new(a);
  text_puts(&t, name);
  for (int i = 0; i < settings; i++) text_printf(&t, " %s=%d", setting[i].name, setting[i].value);
  return t.s;
}

/* The candidate may spend 1 / share of the steps that are left. like: a plan with the same
 * accesses, or NULL. */
static bool make_item(const Expansion *e, Diag *d, int settings, const Setting *setting,
                      int64_t share, const Plan *like, BatchItem *out) {
  SpecOptions options = *e->options;
  options.settings = settings;
  options.setting = setting;
  options.source = e->source;
  Arena *a = e->sweep->arena;
  options.budget = ARENA_NEW(a, Budget);
  *options.budget = budget_part(e->budget, 1, (int)share);
  if (!batch_make_like(a, d, e->path, &options, like, out)) return false;
  out->label = label_of(a, out->spec->name, settings, setting);
  return !e->run || run_prepare(a, d, out);
}

/* Makes one candidate, and its item if it is admissible. */
static Candidate try_settings(const Expansion *e, int settings, const Setting *setting,
                              int64_t share, const Plan *like, BatchItem *item) {
  Arena *a = e->sweep->arena;
  Diag *d = diag_new(a);
  Setting *own = ARENA_ARRAY(a, Setting, SWEEP_MAX_AXES);
  memcpy(own, setting, (size_t)settings * sizeof *own);
  Candidate c = {.name = e->name, .settings = settings, .setting = own, .item = -1};
  progress_tell(e->sweep->progress, "solving candidate", e->sweep->candidates,
                e->sweep->specs * product(e->sweep, 0, e->sweep->axes));
  c.left_out = !budget_left(e->budget);
  if (c.left_out)
    c.reason = arena_printf(a, "not solved: the spec's budget of %d million steps is spent",
                            SPEC_EFFORT / 1000000);
  else if (!make_item(e, d, settings, own, share, like, item))
    c.reason = diag_first(d);
  return c;
}

static void append(const Expansion *e, Candidate c, const BatchItem *item) {
  Sweep *s = e->sweep;
  s->candidate =
      arena_grow(s->arena, s->candidate, s->candidates, &s->capacity, sizeof *s->candidate);
  if (!c.reason) {
    c.item = e->batch->count;
    batch_append(e->batch, item);
  }
  s->candidate[s->candidates++] = c;
}

static const char *layouts_of(Arena *a, const Plan *p) {
  Text t = text_new(a);
  for (int i = 0; i < p->tiles; i++)
    text_puts(&t, plan_spell_layout(a, &p->tile[i].solution->layout));
  return t.s;
}

/* Marks the candidates from index `first` on whose layouts equal those in `chosen`; false if there
 * are none. */
static bool mark_chosen(const Expansion *e, int first, const Plan *chosen) {
  const Sweep *s = e->sweep;
  const char *want = layouts_of(s->arena, chosen);
  bool any = false;
  for (int i = first; i < s->candidates; i++) {
    Candidate *c = &s->candidate[i];
    if (c->reason) continue;
    c->chosen = strcmp(layouts_of(s->arena, e->batch->item[c->item].plan), want) == 0;
    any = any || c->chosen;
  }
  return any;
}

/* Tries all pads for one combination of params, and the solver's choice unless it is one of them.
 * The choice spends from the budget first. share: as in make_item(). base: the item of the spec
 * itself if no param is swept, or NULL. */
static void try_pads(const Expansion *e, Setting *setting, int64_t share, const BatchItem *base) {
  const Sweep *s = e->sweep;
  const int params = s->axes - s->pads, first = s->candidates;
  const int64_t combinations = s->pads ? product(s, params, s->axes) : 0;
  BatchItem item, choice = base ? *base : (BatchItem){.spec = NULL};
  Candidate solver = {.name = e->name, .item = -1};
  if (!base) solver = try_settings(e, params, setting, share, NULL, &choice);
  const Plan *like = solver.reason ? NULL : choice.plan;
  for (int64_t i = 0; i < combinations; i++) {
    settings_at(s, i, params, s->axes, setting);
    append(e, try_settings(e, s->axes, setting, 1, like, &item), &item);
  }
  if (s->pads && (solver.reason || mark_chosen(e, first, choice.plan))) return;
  solver.chosen = !solver.reason;
  append(e, solver, &choice);
}

bool sweep_expand(Sweep *s, Batch *b, const char *path, const SpecOptions *options, bool run,
                  Diag *diag) {
  Expansion e = {s, b, path, NULL, options, NULL, run, ARENA_NEW(s->arena, Budget)};
  BatchItem base;
  Setting setting[SWEEP_MAX_AXES] = {{.name = NULL}};
  *e.budget = (Budget){.limit = SPEC_EFFORT};
  if (!make_item(&e, b->diag, 0, setting, 1, NULL, &base) || !names_exist(s, base.spec, diag))
    return false;
  const int params = s->axes - s->pads;
  e.name = base.spec->name;
  e.source = base.spec->source;
  const int64_t combinations = product(s, 0, params);
  for (int64_t i = 0; i < combinations; i++) {
    settings_at(s, i, 0, params, setting);
    try_pads(&e, setting, combinations - i, params ? NULL : &base);
  }
  return true;
}
