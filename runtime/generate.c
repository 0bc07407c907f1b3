/* SPDX-License-Identifier: MIT */
/* generate.c: takes specs through the stages: solve, write, compile, run, report. */
#include "generate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command/front.h"
#include "command/page.h"
#include "command/paths.h"
#include "command/progress.h"
#include "command/report.h"
#include "command/report_json.h"
#include "command/repro.h"
#include "command/sarif.h"
#include "command/sweep.h"
#include "command/sweep_report.h"
#include "emit/explain.h"
#include "judge/ahead.h"
#include "spec/spec_param.h"
#include "tune/apply.h"

/* The state that the stages share. */
typedef struct {
  App *app;
  Arena *arena; /* this and the three below are the app's */
  const Options *options;
  Text *messages, *data;
  SpecOptions spec_options;
  Diag *diag;
  Batch batch;
  Sweep sweep; /* for --sweep: its candidates are the items of the batch */
  Runner runner;
  Run *runs;   /* NULL until something is compiled */
  bool *unfit; /* for --run: per item, true if it cannot be run */
  Progress progress;
} Job;

static bool is_watched(const Job *job) { return isatty(STDERR_FILENO) && !job->options->quiet; }

static void announce_item(const Job *job, int i) {
  if (job->options->quiet) return;
  const BatchItem *item = &job->batch.item[i];
  const char *nothing = job->options->stage == STAGE_RUN ? ": a header, nothing to run"
                                                         : ": a header, nothing to compile";
  fprintf(stderr, "[%d/%d] %s%s%s\n", i + 1, job->batch.count, item->label,
          item->spec->kernel ? "" : nothing,
          progress_left_of(job->arena, &job->progress, i, job->batch.count));
}

/* Writes the file even if there are no errors, so that its reader can distinguish a clean run from
 * none. False if the file cannot be written. */
static bool write_sarif(Job *job, int code) {
  const char *path = job->options->sarif;
  return !path ||
         sarif_write_mistakes(job->arena, job->diag, path, code, job->data, job->app->diag);
}

static int refuse_specs(Job *job) {
  job->app->reported = job->diag;
  diag_print(job->diag, job->messages, options_color(job->options, STDERR_FILENO));
  const bool written = write_sarif(job, EXIT_BAD_INPUT) && app_flush_data(job->app);
  return app_stop(job->app, written ? EXIT_BAD_INPUT : EXIT_USAGE);
}

/* --- stages: each returns the exit code that ends the run, or 0 --- */

static int set_up(Job *job) {
  const Options *o = job->options;
  const char *templates = paths_templates(job->arena, o->templates, job->app->diag);
  if (!templates) return app_stop(job->app, EXIT_USAGE);
  repro_reads_folder(o->repro, templates);
  if (!o->templates && *templates == '/') repro_adds(o->repro, "--templates", templates);
  job->spec_options.templates = templates_open(job->arena, templates);
  job->spec_options.arch = o->arch;
  job->spec_options.want = o->layout;
  return 0;
}

/* Makes the candidates of all specs. */
static int read_sweep(Job *job, const Paths *paths) {
  const Options *o = job->options;
  if (!sweep_parse(job->arena, o, &job->sweep, job->app->diag))
    return app_stop(job->app, EXIT_USAGE);
  progress_start(&job->progress, is_watched(job));
  job->sweep.progress = &job->progress;
  job->sweep.specs = paths->count;
  for (int i = 0; i < paths->count; i++)
    sweep_expand(&job->sweep, &job->batch, paths->path[i], &job->spec_options,
                 o->stage == STAGE_RUN, job->app->diag);
  progress_end(&job->progress);
  if (diag_count(job->diag)) return refuse_specs(job);
  return diag_met(job->app->diag) ? app_stop(job->app, EXIT_USAGE) : 0;
}

/* Records the specs for --repro. Specs that were found without an argument are named in run.sh. */
static void record_specs(Job *job, const Paths *paths) {
  const Options *o = job->options;
  for (int i = 0; i < paths->count; i++) {
    repro_reads(o->repro, paths->path[i]);
    if (!o->spec.count && *paths->path[i] == '/') repro_adds(o->repro, NULL, paths->path[i]);
  }
}

static void record_sources(Job *job) {
  for (int i = 0; i < job->batch.count; i++) {
    const Rendered *out = &job->batch.item[i].out;
    const char *name = job->options->command == COMMAND_SWEEP
                           ? arena_printf(job->arena, "%d/%s", i, out->file)
                           : out->file;
    repro_makes(job->options->repro, name, out->text, strlen(out->text));
  }
}

static void solve_specs(Job *job, const Paths *paths) {
  Apply wisdom = apply_open(job->arena, job->options, job->app->diag);
  progress_start(&job->progress, is_watched(job));
  for (int i = 0; i < paths->count; i++) {
    SpecOptions options = job->spec_options;
    progress_tell(&job->progress, "solving spec", i, paths->count);
    apply_wisdom(&wisdom, paths->path[i], &options);
    batch_add(&job->batch, paths->path[i], &options);
  }
  progress_end(&job->progress);
}

/* A spec that cannot be run is only compiled, and fails alone. If none can be run, the call ends as
 * for a bad spec. */
static int prepare_runs(Job *job) {
  const Batch *b = &job->batch;
  int unfit = 0;
  job->unfit = ARENA_ARRAY(job->arena, bool, (size_t)b->count);
  for (int i = 0; i < b->count && job->options->stage == STAGE_RUN; i++)
    unfit += job->unfit[i] = !run_prepare(job->arena, job->diag, &b->item[i]);
  if (unfit && unfit == b->count) return refuse_specs(job);
  diag_print(job->diag, job->messages, options_color(job->options, STDERR_FILENO));
  for (int i = 0; unfit && i < b->count; i++)
    if (job->unfit[i])
      text_printf(job->messages, "kgen: %s cannot be run: it is only compiled\n", b->item[i].label);
  return 0;
}

/* Limit of a list in JSON and in HTML reports, unless --json=full is given: a search that reaches
 * its limit has thousands of witnesses. */
enum { MOST_ENTRIES = 256 };

static int read_specs(Job *job) {
  const OptionList *spec = &job->options->spec;
  const Paths paths = paths_specs(job->arena, spec->count, spec->item, job->app->diag);
  if (paths.count == 0) return app_stop(job->app, EXIT_USAGE);
  record_specs(job, &paths);
  job->batch = batch_new(job->arena, job->diag);
  job->batch.json_most = job->options->json_full ? 0 : MOST_ENTRIES;
  if (job->options->command == COMMAND_SWEEP) return read_sweep(job, &paths);
  solve_specs(job, &paths);
  if (diag_count(job->diag)) return refuse_specs(job);
  for (int i = 0; i < job->batch.count && !job->options->quiet; i++)
    spec_report_old_sizes(job->batch.item[i].spec, job->messages);
  return prepare_runs(job);
}

/* Rejects -o - for several specs: one file cannot hold several sources. */
static int refuse_sources(Job *job) {
  const bool wanted = job->options->format == FORMAT_SOURCE && job->options->command == COMMAND_GEN;
  if (!wanted || job->batch.count == 1) return 0;
  diag_say(job->app->diag, DIAG_ARGUMENT, "-o - is for one spec, not %d; a folder named - is ./-",
           job->batch.count);
  return app_stop(job->app, EXIT_USAGE);
}

static void report_conflicts(Job *job, const Plan *plan, const PlanTile *tile) {
  for (int a = 0; a < tile->set->accesses; a++) {
    const AccessCost *c = &tile->solution->cost[a];
    if (c->wavefronts == c->ideal) continue;
    text_printf(job->messages,
                "kgen: %s: strict, but access '%s' takes %" PRId64 " wavefronts, ideal %" PRId64
                "\n",
                plan->spec->name, tile->set->access[a].name, c->wavefronts, c->ideal);
  }
  text_printf(job->messages, "  %s\n", tile->solution->certificate.claim);
}

/* Writes the HTML report of --html. */
static bool write_html(Job *job) {
  const Options *o = job->options;
  const Report r = {job->runs, job->runner.device};
  const char *json = o->command == COMMAND_SWEEP
                         ? page_sweep(job->arena, o, &job->sweep, &job->batch, &r)
                         : page_specs(job->arena, o, &job->batch, &r);
  return page_write(job->arena, o, json, job->data, job->app->diag);
}

/* Writes the files of --html and --svg. */
static int write_page(Job *job) {
  const Options *o = job->options;
  const bool ok =
      (!o->html || write_html(job)) &&
      (!o->svg || page_write_picture(job->arena, o, &job->batch, job->data, job->app->diag));
  if (ok) return 0;
  return app_stop(job->app, EXIT_USAGE);
}

/* Reports what the accesses of a tile leave unwritten or write twice. how: "note" or "strict". */
static bool report_coverage(Job *job, const Plan *plan, const PlanTile *tile, const char *how) {
  const Coverage *c = tile->coverage;
  const char *const error[] = {coverage_spell_unwritten(job->arena, c, tile->set),
                               coverage_spell_rewritten(job->arena, c, tile->set)};
  const char *name = tile->set->tile->name;
  const char *of = name ? arena_printf(job->arena, ", tile %s", name) : "";
  for (int i = 0; i < 2; i++)
    if (error[i])
      text_printf(job->messages, "kgen: %s%s: %s%s\n", plan->spec->name, of, how, error[i]);
  return error[0] || error[1];
}

/* Writes to stdout, or to stderr if stdout carries data for programs. */
static void explain(Job *job) {
  if (!job->options->explain) return;
  const bool data = job->options->format != FORMAT_TABLE;
  const bool color = options_color(job->options, data ? STDERR_FILENO : STDOUT_FILENO);
  Text *out = data ? job->messages : job->data;
  for (int i = 0; i < job->batch.count; i++)
    explain_plan(out, job->arena, job->batch.item[i].plan, job->options->language, color);
}

/* A search that ended early may have left a cheaper layout out. */
static void report_budget(Job *job, const Plan *plan, const PlanTile *tile) {
  const char *name = tile->set->tile->name;
  if (!tile->solution->stopped || tile->set->tile->want.given) return;
  text_printf(job->messages, "kgen: %s%s%s: note: the search ended at the spec's budget of %d ",
              plan->spec->name, name ? ", tile " : "", name ? name : "", SOLVE_EFFORT / 1000000);
  text_puts(job->messages, "million steps: a cheaper layout may exist\n");
}

/* Ends the run before anything is written if a strict tile has conflicts, or elements without a
 * value. --json, --html and --explain still show the best layout. A sweep is exempt, because it
 * compares conflicts. */
static int refuse_conflicts(Job *job) {
  bool refused = false;
  for (int i = 0; i < job->batch.count && job->options->command == COMMAND_GEN; i++) {
    const Plan *plan = job->batch.item[i].plan;
    for (int t = 0; t < plan->tiles; t++) {
      const PlanTile *tile = &plan->tile[t];
      const bool strict = tile->set->tile->want.strict;
      const char *how = strict ? "strict: " : "note: ";
      const bool wrong = (strict || !job->options->quiet) && report_coverage(job, plan, tile, how);
      if (!job->options->quiet) report_budget(job, plan, tile);
      refused = refused || (strict && wrong);
      if (!strict || tile->solution->conflict_free) continue;
      report_conflicts(job, plan, tile);
      refused = true;
    }
  }
  if (!refused) return 0;
  explain(job);
  if (job->options->format == FORMAT_JSON) batch_json(&job->batch, job->data, NULL, NULL, NULL);
  write_page(job);
  app_flush_messages(job->app);
  return app_flush_data(job->app) ? EXIT_CONFLICTS : EXIT_USAGE;
}

static int open_device(Job *job) {
  if (job->options->stage < STAGE_RUN) return 0;
  Text why = text_new(job->arena);
  job->runner.device = backend_open(job->arena, job->options->device, &why);
  if (job->runner.device) {
    /* the backend that auto prefers, and why it is not available */
    if (why.len && job->options->verbose) {
      text_puts(job->messages, "kgen: ");
      text_show(job->messages, why.s, why.len);
      text_puts(job->messages, "\n");
    }
    if (!job->options->quiet)
      text_printf(job->messages, "kgen: running on: %s\n", job->runner.device->name);
    return 0;
  }
  diag_say(job->app->diag, DIAG_ARGUMENT, "nothing to run on (--device %s)", job->options->device);
  diag_more(job->app->diag, arena_printf(job->arena, "%s\n", why.s));
  return app_stop(job->app, EXIT_NO_GPU);
}

static bool writes_nothing(const Options *o) {
  return o->dry_run || o->command == COMMAND_SWEEP || o->format == FORMAT_SOURCE;
}

static int write_files(Job *job) {
  if (writes_nothing(job->options)) return 0;
  Text why = text_new(job->arena);
  if (batch_write(&job->batch, job->options->out, &why)) return 0;
  diag_say(job->app->diag, DIAG_ARGUMENT, "%s", why.s);
  return app_stop(job->app, EXIT_USAGE);
}

static void open_runner(Job *job) {
  Runner *r = &job->runner;
  Text why = text_new(job->arena);
  r->arena = job->arena;
  r->arch = job->options->arch ? job->options->arch->name : NULL;
  r->options = &job->spec_options;
  r->seed = job->options->seed;
  r->messages = job->messages;
  r->alone = job->options->command == COMMAND_SWEEP;
  if (!job->options->no_cache) r->cache = cache_open(job->arena, &why);
  if (why.len && job->options->verbose) text_printf(job->messages, "kgen: %s\n", why.s);
}

static void report_log(Job *job, const Run *run) {
  if (!job->options->verbose || !run->jitted) return;
  text_puts(job->messages, run->machine.log);
}

static void run_each(Job *job) {
  progress_start(&job->progress, is_watched(job));
  Ahead ahead;
  ahead_start(&job->runner, &job->batch, &ahead);
  for (int i = 0; i < job->batch.count; i++) {
    const BatchItem *item = &job->batch.item[i];
    announce_item(job, i);
    ahead_wait(&ahead, i);
    const bool unfit = job->unfit && job->unfit[i];
    if (job->options->stage == STAGE_RUN && !unfit)
      run_execute(&job->runner, item, &job->runs[i]);
    else
      run_compile(&job->runner, item, &job->runs[i]);
    job->runs[i].unfit = unfit;
    if (unfit && job->runs[i].exit_code < EXIT_BAD_INPUT) job->runs[i].exit_code = EXIT_BAD_INPUT;
    ahead_record_outcome(&ahead, i, &job->runs[i].machine);
    report_log(job, &job->runs[i]);
    app_flush_messages(job->app);
  }
  ahead_stop(&ahead);
}

static void count_each(Job *job) {
  const char *why = NULL;
  for (int i = 0; i < job->batch.count; i++) {
    Run *run = &job->runs[i];
    run_count(&job->runner, run);
    run_close(&job->runner, run);
    if (run->solved.ran && !run->solved.counted.known) why = run->solved.counted.why_unknown;
    app_flush_messages(job->app);
  }
  if (why && !job->options->quiet) fprintf(stderr, "kgen: wavefronts were not measured: %s\n", why);
}

/* Compiles and runs every spec. Returns the worst exit code. */
static int run_all(Job *job) {
  if (job->options->stage < STAGE_COMPILED) return 0;
  open_runner(job);
  job->runs = ARENA_ARRAY(job->arena, Run, (size_t)job->batch.count);
  run_each(job);
  if (job->runner.device) count_each(job);
  if (job->runner.device && !job->runner.device->backend->timed && !job->options->quiet)
    fprintf(stderr, "kgen: on the %s time and bandwidth are not measured\n",
            job->runner.device->name);
  int worst = 0;
  for (int i = 0; i < job->batch.count; i++)
    if (job->runs[i].exit_code > worst) worst = job->runs[i].exit_code;
  return worst;
}

static void report_sweep(Job *job, Report *keys) {
  const Options *o = job->options;
  if (o->format == FORMAT_JSON)
    sweep_json(&job->sweep, job->data, &job->batch, keys->runs ? report_json : NULL, keys);
  else if (o->format == FORMAT_CSV)
    sweep_csv(&job->sweep, job->data, &job->batch, job->runs);
  else if (options_allow_table(o))
    sweep_table(&job->sweep, job->data, &job->batch, job->runs);
}

static void report(Job *job) {
  const Options *o = job->options;
  Report keys = {job->runs, job->runner.device};
  if (o->command == COMMAND_SWEEP)
    report_sweep(job, &keys);
  else if (o->format == FORMAT_JSON)
    batch_json(&job->batch, job->data, writes_nothing(o) ? NULL : o->out,
               job->runs ? report_json : NULL, &keys);
  else if (o->format == FORMAT_CSV)
    report_csv(job->data, &job->batch, job->runs);
  else if (o->format == FORMAT_MARKDOWN)
    report_markdown(job->data, &job->batch, job->runs);
  else if (o->format == FORMAT_SOURCE)
    text_puts(job->data, job->batch.item[0].out.text);
  else if (options_allow_table(o))
    report_table(job->data, &job->batch, job->runs);
}

/* Runs all stages in order. */
static int run_stages(Job *job) {
  int code = set_up(job);
  if (!code) code = read_specs(job);
  if (!code) code = refuse_sources(job);
  if (!code) code = refuse_conflicts(job);
  if (!code) code = open_device(job);
  if (!code) code = write_files(job);
  if (code) return code;
  record_sources(job);
  explain(job);
  app_flush_messages(job->app);
  code = run_all(job);
  if (!write_sarif(job, code)) code = app_stop(job->app, EXIT_USAGE);
  report(job);
  const int written = write_page(job);
  if (job->runner.device) backend_close(job->runner.device);
  if (!code) code = written;
  return app_flush_data(job->app) || code ? code : EXIT_USAGE;
}

/* --- the commands --- */

static Job job_of(App *app) {
  return (Job){.app = app,
               .arena = app->arena,
               .options = &app->options,
               .messages = &app->messages,
               .data = &app->data,
               .diag = diag_new(app->arena)};
}

int generate(App *app) {
  Job job = job_of(app);
  return run_stages(&job);
}

int generate_front(App *app) {
  Job of_specs = job_of(app), *job = &of_specs;
  int code = set_up(job);
  if (!code) code = read_specs(job);
  if (code) return code;
  if (job->options->format != FORMAT_TABLE || !job->options->quiet)
    front_print(job->data, &job->batch, job->options->format);
  return app_flush_data(job->app) ? 0 : EXIT_USAGE;
}
