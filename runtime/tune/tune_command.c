/* SPDX-License-Identifier: MIT */
#include "tune/tune_command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/scratch.h"
#include "command/paths.h"
#include "device/clock.h"
#include "device/nvrtc.h"
#include "spec/spec_param.h"
#include "spec/spec_read.h"
#include "tune/devices.h"
#include "tune/sizes.h"
#include "tune/tune_report.h"

enum { DEFAULT_SECONDS = 60 };
static const double parts_share = 0.8;

typedef struct {
  Arena *arena;
  const Options *options;
  Text *data, *messages;
  Text kept;   /* messages to print at the end */
  Diag *usage; /* errors of the command line and of the machine */
  Diag *diag;  /* errors of specs */
  SpecOptions spec_options;
  Runner runner;
  Scratch scratch; /* temporary cache, if there is no other */
  bool has_scratch;
  Tuning tuning;
  Paths paths;
  const Source **source; /* indexed by path: a pipe can be read only once */
  SizeList *sizes;
  int jobs, tuned; /* a job is a spec at one problem */
  Tuned *result;
} TuneApp;

/* --- prerequisites --- */

/* Selects the spec and the problem of a job. */
static const char *select_job(TuneApp *app, int job) {
  const SizeList *s = app->sizes;
  const int path = s->count ? job / s->count : job;
  const Values own = {0, NULL}, *problem = s->count ? &s->problem[job % s->count] : &own;
  app->spec_options.source = app->source[path];
  app->spec_options.sizes = problem->count;
  app->spec_options.size = problem->param;
  return app->paths.path[path];
}

/* Reports all errors of all specs, at all sizes, before the first search starts. */
static int read_specs(TuneApp *app) {
  const Paths *p = &app->paths;
  app->source = ARENA_ARRAY(app->arena, const Source *, (size_t)p->count);
  for (int i = 0; i < p->count; i++)
    app->source[i] = yaml_source(app->arena, app->diag, p->path[i]);
  app->jobs = p->count * (app->sizes->count ? app->sizes->count : 1);
  for (int job = 0; job < app->jobs; job++) {
    const char *path = select_job(app, job);
    const Values problem = {app->spec_options.sizes, app->spec_options.size};
    if (!app->spec_options.source) continue;
    const Spec *s = spec_read(app->arena, app->diag, path, &app->spec_options);
    if (s && !app->options->quiet && job % (app->jobs / p->count) == 0)
      spec_report_old_sizes(s, app->messages);
    if (s && !sizes_fit(app->arena, &problem, s, app->usage)) return EXIT_USAGE;
  }
  app->spec_options.sizes = 0;
  return diag_count(app->diag) ? EXIT_BAD_INPUT : 0;
}

static int set_up(TuneApp *app) {
  const Options *o = app->options;
  const char *dir = paths_templates(app->arena, o->templates, app->usage);
  app->spec_options = (SpecOptions){.templates = templates_open(app->arena, dir), .arch = o->arch};
  app->diag = diag_new(app->arena);
  app->tuning.shard = o->tune.shard;
  app->tuning.shards = o->tune.shards;
  app->sizes = ARENA_NEW(app->arena, SizeList);
  if (!dir || !sizes_parse(app->arena, &o->tune.sizes, app->sizes, app->usage)) return EXIT_USAGE;
  app->paths = paths_specs(app->arena, o->spec.count, o->spec.item, app->usage);
  return app->paths.count ? read_specs(app) : EXIT_USAGE;
}

/* Without a place for records, nothing is measured; a node that only compiles writes no records. */
static bool open_wisdom(TuneApp *app) {
  const char *file = app->tuning.file = wisdom_file(app->arena);
  if (!file)
    diag_say(app->usage, DIAG_ARGUMENT,
             "no file to keep measurements in: set KGEN_WISDOM, XDG_DATA_HOME or HOME");
  if (!file || app->options->stage == STAGE_COMPILED) return file;
  return wisdom_is_writable(app->arena, file, app->usage);
}

/* Compiled kernels are passed between processes through the cache: without a cache of the user, a
 * temporary one is used for this run. */
static bool open_cache(TuneApp *app) {
  Cache *c = &app->runner.cache;
  Text unused = text_new(app->arena);
  if (!app->options->no_cache) *c = cache_open(app->arena, &unused);
  if (c->folder && c->writable) return true;
  app->has_scratch = scratch_open(app->arena, &app->scratch, scratch_parent());
  if (!app->has_scratch)
    diag_say(app->usage, DIAG_ARGUMENT, "no folder for compiled kernels in %s: %s",
             scratch_parent(), strerror(errno));
  if (!app->has_scratch) return false;
  *c = (Cache){.folder = app->scratch.folder, .writable = true, .max_bytes = 1 << 30};
  return true;
}

static int open_device(TuneApp *app) {
  const Options *o = app->options;
  Text why = text_new(app->arena);
  app->tuning.form = strcmp(o->device, "emulator") == 0 ? JIT_PTX : JIT_CUBIN;
  if (o->stage == STAGE_COMPILED) return 0;
  app->runner.device = backend_open(app->arena, o->device, &why);
  if (!app->runner.device) {
    diag_say(app->usage, DIAG_ARGUMENT, "nothing to run on (--device %s)", o->device);
    diag_more(app->usage, arena_printf(app->arena, "%s\n", why.s));
    return EXIT_NO_GPU;
  }
  app->tuning.form = app->runner.device->backend->form;
  if (!o->quiet) fprintf(stderr, "kgen: running on: %s\n", app->runner.device->name);
  return 0;
}

static int open_tools(TuneApp *app) {
  Text why = text_new(app->arena);
  const Options *o = app->options;
  app->runner = (Runner){.arena = app->arena,
                         .arch = o->arch ? o->arch->name : NULL,
                         .alone = true,
                         .lean = true,
                         .options = &app->spec_options,
                         .seed = o->seed,
                         .messages = app->messages};
  app->tuning.toolkit = nvrtc_version(app->arena);
  if (!app->tuning.toolkit) {
    nvrtc_identity(app->arena, &why);
    diag_say(app->usage, DIAG_ARGUMENT, "NVRTC cannot be used: %s", why.s);
    return EXIT_FAILED;
  }
  return open_wisdom(app) && open_cache(app) ? open_device(app) : EXIT_USAGE;
}

/* --- specs --- */

/* Each spec gets its share of the remaining time. */
static double seconds_for(const TuneApp *app, double end) {
  const uint64_t budget = app->options->tune.budget;
  const double left = (end - clock_ms()) / 1000;
  return budget ? left / (app->jobs - app->tuned) : DEFAULT_SECONDS;
}

static bool tune_one(TuneApp *app, double end) {
  const char *path = select_job(app, app->tuned);
  const OptionList *only = &app->options->tune.only;
  Tuned *t = &app->result[app->tuned];
  if (only->count) return search_only(&app->tuning, app->arena, app->diag, path, only);
  if (!search_spec(&app->tuning, app->arena, app->diag, path, seconds_for(app, end), t))
    return false;
  if (app->options->format == FORMAT_TABLE && !app->options->quiet)
    tune_print(app->arena, app->data, t);
  return true;
}

static void put(Arena *a, Text *text, FILE *to) {
  fwrite(text->s, 1, text->len, to);
  fflush(to);
  *text = text_new(a);
}

/* Results are printed as they are found. A JSON object that can contain nothing else contains its
 * messages, which are kept until then. */
static void flush(TuneApp *app) {
  if (app->options->format == FORMAT_TABLE) {
    put(app->arena, app->messages, stderr);
    put(app->arena, app->data, stdout);
  } else {
    text_add(&app->kept, app->messages->s, app->messages->len);
    *app->messages = text_new(app->arena);
  }
}

/* With several devices, most of the time goes to the shards of the search. The final search finds
 * their measurements, and measures the best of all shards side by side. */
static int search_parts(TuneApp *app) {
  const Options *o = app->options;
  const double each = o->tune.budget ? (double)o->tune.budget : (double)DEFAULT_SECONDS * app->jobs;
  DeviceList on;
  if (!o->tune.devices || o->tune.only.count) return 0;
  const int code = devices_list(app->arena, o->tune.devices, &on, app->usage);
  if (!code) devices_search(&app->tuning, app->arena, &app->paths, each * parts_share, &on);
  return code;
}

static int tune_all(TuneApp *app) {
  const double end = clock_ms() + (double)app->options->tune.budget * 1000;
  Tuning *t = &app->tuning;
  const int code = search_parts(app);
  if (code) return code;
  app->result = ARENA_ARRAY(app->arena, Tuned, (size_t)app->jobs);
  for (; app->tuned < app->jobs && !tuning_stops(t); app->tuned++) {
    if (!tune_one(app, end)) break;
    flush(app);
    if (tuning_has_failed(t)) return t->unkept ? EXIT_USAGE : EXIT_FAILED;
  }
  return diag_count(app->diag) ? EXIT_BAD_INPUT : 0;
}

static void report_json(TuneApp *app) {
  Json j = json_new(app->data);
  json_object(&j, NULL);
  json_int(&j, "version", 1);
  json_array(&j, "tune");
  for (int i = 0; i < app->tuned && app->options->tune.only.count == 0; i++)
    tune_json(&j, &app->result[i]);
  json_ends(&j, 2);
}

static void close_all(TuneApp *app) {
  if (app->runner.device) backend_close(app->runner.device);
  if (app->has_scratch) scratch_close(&app->scratch);
}

int tune_command(Arena *a, const Options *o, Text *data, Text *messages, Diag *diag) {
  TuneApp app = {.arena = a,
                 .options = o,
                 .data = data,
                 .messages = messages,
                 .kept = text_new(a),
                 .usage = diag};
  app.tuning = (Tuning){.options = o, .spec_options = &app.spec_options, .runner = &app.runner};
  signals_hold(&app.tuning.held);
  app.tuning.shipped = paths_wisdom(a);
  int code = set_up(&app);
  if (!code) code = open_tools(&app);
  if (!code) code = tune_all(&app);
  if (app.diag) diag_print(app.diag, messages, options_color(o, STDERR_FILENO));
  if (!code && o->format == FORMAT_JSON) report_json(&app);
  flush(&app);
  *messages = app.kept;
  close_all(&app);
  if (app.tuning.signal) {
    put(a, messages, stderr);
    raise(app.tuning.signal); /* takes effect when signals are released */
  }
  signals_release(&app.tuning.held);
  return code;
}
