/* main.c: the command. Specs in; layouts, CUDA and the results of running it out. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command/begin.h"
#include "command/compare_report.h"
#include "command/doctor.h"
#include "command/front.h"
#include "command/option_help.h"
#include "command/option_parse.h"
#include "command/page.h"
#include "command/progress.h"
#include "command/refusal.h"
#include "command/repro.h"
#include "command/sarif.h"
#include "command/sweep.h"
#include "device/inventory.h"
#include "exec/exec_command.h"
#include "judge/ahead.h"
#include "lint/lint_command.h"
#include "lint/lint_file.h"
#include "lint/lint_same.h"
#include "pads/pads.h"
#include "tune/apply.h"
#include "tune/tune_command.h"
#include "tune/wisdom_command.h"

enum { EXIT_BAD_SPEC = 3, EXIT_CONFLICTS = 4 };

/* What every stage needs. */
typedef struct {
  Arena *arena;
  Options options;
  SpecOptions spec_options;
  Diag *diag;
  Batch batch;
  Sweep sweep; /* with --sweep; the batch then holds its candidates */
  Runner runner;
  Run *runs; /* NULL until something is compiled */
  Progress progress;
  Text messages; /* to stderr */
  Text written;  /* of them, what stderr has */
  Text data;     /* to stdout */
} App;

/* --- messages and data --- */

static void flush_messages(App *app) {
  repro_tells(app->options.repro, app->messages.s, app->messages.len);
  fwrite(app->messages.s, 1, app->messages.len, stderr);
  text_add(&app->written, app->messages.s, app->messages.len);
  app->messages = text_new(app->arena);
}

static bool app_is_watched(const App *app) { return isatty(STDERR_FILENO) && !app->options.quiet; }

static void announce_item(const App *app, int i) {
  if (app->options.quiet) return;
  const BatchItem *item = &app->batch.item[i];
  const char *nothing = app->options.until == UNTIL_RUN ? ": a header, nothing to run"
                                                        : ": a header, nothing to compile";
  fprintf(stderr, "[%d/%d] %s%s%s\n", i + 1, app->batch.count, item->label,
          item->spec->kernel ? "" : nothing,
          progress_left_of(app->arena, &app->progress, i, app->batch.count));
}

/* False if stdout did not take everything: a full disk, a closed pipe. */
static bool flush_data(const App *app) {
  fwrite(app->data.s, 1, app->data.len, stdout);
  if (fflush(stdout) == 0 && !ferror(stdout)) return true;
  fprintf(stderr, "kgen: cannot write to stdout: %s\n", strerror(errno));
  return false;
}

static int stop(App *app, int code) {
  flush_messages(app);
  return code;
}

/* Also written if there are no mistakes, so that a reader knows. False if the file cannot be
 * written. */
static bool write_sarif(App *app, int code) {
  const char *path = app->options.sarif;
  return !path || sarif_write_mistakes(app->arena, app->diag, path, code, &app->messages);
}

static int refuse_specs(App *app) {
  diag_print(app->diag, &app->messages, options_color(&app->options, STDERR_FILENO));
  return stop(app, write_sarif(app, EXIT_BAD_SPEC) ? EXIT_BAD_SPEC : EXIT_USAGE);
}

/* --- stages: each returns the exit code that ends the run, or 0 --- */

static int set_up(App *app) {
  const Options *o = &app->options;
  const char *templates = paths_templates(app->arena, o->templates, &app->messages);
  if (!templates) return stop(app, EXIT_USAGE);
  repro_reads_folder(o->repro, templates);
  if (!o->templates && *templates == '/') repro_adds(o->repro, "--templates", templates);
  app->spec_options.template_dir = templates;
  app->spec_options.arch = o->arch;
  app->spec_options.want = o->layout;
  return 0;
}

/* All candidates of all specs. */
static int read_sweep(App *app, const Paths *paths) {
  const Options *o = &app->options;
  if (!sweep_parse(app->arena, o, &app->sweep, &app->messages)) return stop(app, EXIT_USAGE);
  progress_start(&app->progress, app_is_watched(app));
  app->sweep.progress = &app->progress;
  app->sweep.specs = paths->count;
  for (int i = 0; i < paths->count; i++)
    sweep_expand(&app->sweep, &app->batch, paths->path[i], &app->spec_options,
                 o->until == UNTIL_RUN, &app->messages);
  progress_end(&app->progress);
  if (diag_count(app->diag)) return refuse_specs(app);
  return app->messages.len ? stop(app, EXIT_USAGE) : 0;
}

/* Specs that were found without being named are named next time. */
static void record_specs(App *app, const Paths *paths) {
  const Options *o = &app->options;
  for (int i = 0; i < paths->count; i++) {
    repro_reads(o->repro, paths->path[i]);
    if (!o->spec.count && *paths->path[i] == '/') repro_adds(o->repro, NULL, paths->path[i]);
  }
}

static void record_sources(App *app) {
  for (int i = 0; i < app->batch.count; i++) {
    const Rendered *out = &app->batch.item[i].out;
    const char *name = app->options.door == DOOR_SWEEP
                           ? arena_printf(app->arena, "%d/%s", i, out->file)
                           : out->file;
    repro_makes(app->options.repro, name, out->text, strlen(out->text));
  }
}

static void solve_specs(App *app, const Paths *paths) {
  Apply wisdom = apply_open(app->arena, &app->options, &app->messages);
  progress_start(&app->progress, app_is_watched(app));
  for (int i = 0; i < paths->count; i++) {
    SpecOptions options = app->spec_options;
    progress_tell(&app->progress, "solving spec", i, paths->count);
    apply_wisdom(&wisdom, paths->path[i], &options);
    batch_add(&app->batch, paths->path[i], &options);
  }
  progress_end(&app->progress);
}

static int read_specs(App *app) {
  const OptionList *spec = &app->options.spec;
  const Paths paths = paths_specs(app->arena, spec->count, spec->item, &app->messages);
  if (paths.count == 0) return stop(app, EXIT_USAGE);
  record_specs(app, &paths);
  app->batch = batch_new(app->arena, app->diag);
  if (app->options.door == DOOR_SWEEP) return read_sweep(app, &paths);
  solve_specs(app, &paths);
  const bool ok = diag_count(app->diag) == 0 && (app->options.until < UNTIL_RUN ||
                                                 run_prepare(app->arena, app->diag, &app->batch));
  return ok ? 0 : refuse_specs(app);
}

/* One file has no place for two sources. */
static int refuse_sources(App *app) {
  const bool wanted = app->options.format == FORMAT_SOURCE && app->options.door == DOOR_SPECS;
  if (!wanted || app->batch.count == 1) return 0;
  text_printf(&app->messages, "kgen: -o - is for one spec, not %d; a folder named - is ./-\n",
              app->batch.count);
  return stop(app, EXIT_USAGE);
}

static void report_conflicts(App *app, const Plan *plan, const PlanTile *tile) {
  for (int a = 0; a < tile->set->accesses; a++) {
    const AccessCost *c = &tile->solution->cost[a];
    if (c->wavefronts == c->ideal) continue;
    text_printf(&app->messages,
                "kgen: %s: strict, but access '%s' takes %" PRId64 " wavefronts, ideal %" PRId64
                "\n",
                plan->spec->name, tile->set->access[a].name, c->wavefronts, c->ideal);
  }
  text_printf(&app->messages, "  %s\n", tile->solution->certificate.claim);
}

/* The page of --html. */
static bool write_html(App *app, Text *why) {
  const Options *o = &app->options;
  const Report r = {app->runs, app->runner.device};
  const char *data = o->door == DOOR_SWEEP ? page_sweep(app->arena, o, &app->sweep, &app->batch, &r)
                                           : page_specs(app->arena, o, &app->batch, &r);
  return page_write(app->arena, o, data, why);
}

/* What is written to be looked at. */
static int write_page(App *app) {
  const Options *o = &app->options;
  Text why = text_new(app->arena);
  const bool ok = (!o->html || write_html(app, &why)) &&
                  (!o->svg || page_write_picture(app->arena, o, &app->batch, &why));
  if (ok) return 0;
  text_printf(&app->messages, "kgen: %s\n", why.s);
  return stop(app, EXIT_USAGE);
}

/* A strict tile that still has conflicts ends the run before anything is written; --json and
 * --html still show the best layout. A sweep shows conflicts by design. */
static int refuse_conflicts(App *app) {
  bool refused = false;
  for (int i = 0; i < app->batch.count && app->options.door == DOOR_SPECS; i++) {
    const Plan *plan = app->batch.item[i].plan;
    for (int t = 0; t < plan->tiles; t++) {
      const PlanTile *tile = &plan->tile[t];
      if (!tile->set->tile->want.strict || tile->solution->conflict_free) continue;
      report_conflicts(app, plan, tile);
      refused = true;
    }
  }
  if (!refused) return 0;
  if (app->options.format == FORMAT_JSON) batch_json(&app->batch, &app->data, NULL, NULL, NULL);
  write_page(app);
  flush_messages(app);
  return flush_data(app) ? EXIT_CONFLICTS : EXIT_USAGE;
}

static int open_device(App *app) {
  if (app->options.until < UNTIL_RUN) return 0;
  Text why = text_new(app->arena);
  app->runner.device = backend_open(app->arena, app->options.device, &why);
  if (app->runner.device) {
    /* why: what auto would have preferred, and why that is not there */
    if (why.len && app->options.verbose) text_printf(&app->messages, "kgen: %s\n", why.s);
    if (!app->options.quiet)
      text_printf(&app->messages, "kgen: running on: %s\n", app->runner.device->name);
    return 0;
  }
  text_printf(&app->messages, "kgen: nothing to run on (--device %s)\n%s\n", app->options.device,
              why.s);
  return stop(app, EXIT_NO_GPU);
}

static bool writes_nothing(const Options *o) {
  return o->dry_run || o->door == DOOR_SWEEP || o->format == FORMAT_SOURCE;
}

static int write_files(App *app) {
  if (writes_nothing(&app->options)) return 0;
  Text why = text_new(app->arena);
  if (batch_write(&app->batch, app->options.out, &why)) return 0;
  text_printf(&app->messages, "kgen: %s\n", why.s);
  return stop(app, EXIT_USAGE);
}

/* To stdout, or to stderr where stdout carries data for programs. */
static void explain(App *app) {
  if (!app->options.explain) return;
  const bool data = app->options.format != FORMAT_TABLE;
  const bool color = options_color(&app->options, data ? STDERR_FILENO : STDOUT_FILENO);
  Text *out = data ? &app->messages : &app->data;
  for (int i = 0; i < app->batch.count; i++)
    explain_plan(out, app->arena, app->batch.item[i].plan, color);
}

static void open_runner(App *app) {
  Runner *r = &app->runner;
  Text why = text_new(app->arena);
  r->arena = app->arena;
  r->arch = app->options.arch ? app->options.arch->name : NULL;
  r->options = &app->spec_options;
  r->seed = app->options.seed;
  r->messages = &app->messages;
  r->alone = app->options.door == DOOR_SWEEP;
  if (!app->options.no_cache) r->cache = cache_open(app->arena, &why);
  if (why.len && app->options.verbose) text_printf(&app->messages, "kgen: %s\n", why.s);
}

static void report_log(App *app, const Run *run) {
  if (!app->options.verbose || !run->jitted) return;
  text_puts(&app->messages, run->machine.log);
}

static void run_each(App *app) {
  progress_start(&app->progress, app_is_watched(app));
  Ahead ahead;
  ahead_start(&app->runner, &app->batch, &ahead);
  for (int i = 0; i < app->batch.count; i++) {
    const BatchItem *item = &app->batch.item[i];
    announce_item(app, i);
    ahead_wait(&ahead, i);
    if (app->options.until == UNTIL_RUN)
      run_execute(&app->runner, item, &app->runs[i]);
    else
      run_compile(&app->runner, item, &app->runs[i]);
    ahead_tell(&ahead, i, &app->runs[i].machine);
    report_log(app, &app->runs[i]);
    flush_messages(app);
  }
  ahead_stop(&ahead);
}

static void count_each(App *app) {
  const char *why = NULL;
  for (int i = 0; i < app->batch.count; i++) {
    Run *run = &app->runs[i];
    run_count(&app->runner, run);
    run_close(&app->runner, run);
    if (run->solved.ran && !run->solved.counted.known) why = run->solved.counted.why_unknown;
    flush_messages(app);
  }
  if (why && !app->options.quiet) fprintf(stderr, "kgen: wavefronts were not measured: %s\n", why);
}

/* Compiles and runs every spec; the worst exit code. */
static int run_all(App *app) {
  if (app->options.until < UNTIL_COMPILED) return 0;
  open_runner(app);
  app->runs = ARENA_ARRAY(app->arena, Run, (size_t)app->batch.count);
  run_each(app);
  if (app->runner.device) count_each(app);
  if (app->runner.device && !app->runner.device->backend->timed && !app->options.quiet)
    fprintf(stderr, "kgen: on the %s time and bandwidth are not measured\n",
            app->runner.device->name);
  int worst = 0;
  for (int i = 0; i < app->batch.count; i++)
    if (app->runs[i].exit_code > worst) worst = app->runs[i].exit_code;
  return worst;
}

static void report_sweep(App *app, Report *keys) {
  const Options *o = &app->options;
  if (o->format == FORMAT_JSON)
    sweep_json(&app->sweep, &app->data, &app->batch, keys->runs ? report_json : NULL, keys);
  else if (o->format == FORMAT_CSV)
    sweep_csv(&app->sweep, &app->data, &app->batch, app->runs);
  else if (options_allow_table(o))
    sweep_table(&app->sweep, &app->data, &app->batch, app->runs);
}

static void report(App *app) {
  const Options *o = &app->options;
  Report keys = {app->runs, app->runner.device};
  if (o->door == DOOR_SWEEP)
    report_sweep(app, &keys);
  else if (o->format == FORMAT_JSON)
    batch_json(&app->batch, &app->data, writes_nothing(o) ? NULL : o->out,
               app->runs ? report_json : NULL, &keys);
  else if (o->format == FORMAT_CSV)
    report_csv(&app->data, &app->batch, app->runs);
  else if (o->format == FORMAT_MARKDOWN)
    report_markdown(&app->data, &app->batch, app->runs);
  else if (o->format == FORMAT_SOURCE)
    text_puts(&app->data, app->batch.item[0].out.text);
  else if (options_allow_table(o))
    report_table(&app->data, &app->batch, app->runs);
}

/* The whole run, stage after stage. */
static int generate(App *app) {
  int code = set_up(app);
  if (!code) code = read_specs(app);
  if (!code) code = refuse_sources(app);
  if (!code) code = refuse_conflicts(app);
  if (!code) code = open_device(app);
  if (!code) code = write_files(app);
  if (code) return code;
  record_sources(app);
  explain(app);
  flush_messages(app);
  code = run_all(app);
  if (!write_sarif(app, code)) code = stop(app, EXIT_USAGE);
  report(app);
  const int written = write_page(app);
  if (app->runner.device) backend_close(app->runner.device);
  if (!code) code = written;
  return flush_data(app) || code ? code : EXIT_USAGE;
}

/* kgen --front: specs, solved, and what else their tiles could be. */
static int show_front(App *app) {
  int code = set_up(app);
  if (!code) code = read_specs(app);
  if (code) return code;
  if (app->options.format != FORMAT_TABLE || !app->options.quiet)
    front_print(&app->data, &app->batch, app->options.format);
  return flush_data(app) ? 0 : EXIT_USAGE;
}

/* --- front doors that need none of the stages --- */

typedef int Command(Arena *a, const Options *o, Text *data, Text *messages);

static int run_command(App *app, Command *command) {
  const int code = command(app->arena, &app->options, &app->data, &app->messages);
  flush_messages(app);
  return flush_data(app) || code ? code : EXIT_USAGE;
}

/* kgen --pads: a table that needs no spec. */
static int pads_command(Arena *a, const Options *o, Text *data, Text *messages) {
  const Pads *p = pads_compute(a);
  (void)messages;
  if (o->format == FORMAT_JSON)
    pads_json(p, data);
  else if (o->format == FORMAT_CSV)
    pads_csv(p, data);
  else
    pads_print(p, data);
  return 0;
}

/* kgen --schema: of specs; with `lint`, of a lint.yaml. */
static int schema_of(Arena *a, const Options *o, Text *data, Text *messages) {
  if (!o->spec.count) return schema_command(a, o, data, messages);
  if (o->spec.count == 1 && strcmp(o->spec.item[0], "lint") == 0) {
    lint_file_schema(data);
    return 0;
  }
  text_puts(messages, "kgen: --schema alone prints the schema of specs, --schema lint that of "
                      "lint.yaml\n");
  return EXIT_USAGE;
}

static void print_version(App *app) {
  if (app->options.format == FORMAT_JSON) {
    text_puts(&app->data, "{\"version\": 1, \"kgen\": \"" KGEN_VERSION "\"}\n");
    return;
  }
  text_puts(&app->data, "kgen " KGEN_VERSION "\n");
  inventory_print(app->arena, &app->data);
}

static int answer(App *app) {
  if (app->options.answer == ANSWER_HELP)
    option_help(&app->data);
  else
    print_version(app);
  return flush_data(app) ? 0 : EXIT_USAGE;
}

/* A wrong result, or a refused kernel. */
static bool is_worth_repeating(int code) { return code == 1 || code == 5 || code == 6; }

static bool open_repro(App *app, int argc, char **argv) {
  Options *o = &app->options;
  if (!o->repro_folder) return true;
  o->repro = repro_open(app->arena, o->repro_folder, argc, argv, &app->messages);
  for (int i = 0; i < o->named.count; i++) repro_reads(o->repro, o->named.item[i]);
  for (int i = 0; i < o->spec.count; i++) repro_reads(o->repro, o->spec.item[i]);
  return o->repro != NULL;
}

static void close_repro(App *app, int code) {
  Options *o = &app->options;
  if (!o->repro) return;
  if (is_worth_repeating(code))
    repro_write(o->repro, code, &app->data, &app->messages);
  else
    repro_drop(o->repro);
  o->repro = NULL;
  flush_messages(app);
}

/* Where a front door ends without its object, --json says why. */
static int refuse(App *app, int code) {
  if (!code || app->options.format != FORMAT_JSON || app->data.len) return code;
  refusal_json(&app->data, code, app->written.s);
  flush_data(app);
  return code;
}

/* Either stages of ours, or a command that is another file's. */
static int open_door(App *app) {
  static const struct {
    int (*stages)(App *);
    Command *command;
  } door[DOORS] = {[DOOR_SPECS] = {generate, NULL},          [DOOR_SWEEP] = {generate, NULL},
                   [DOOR_FRONT] = {show_front, NULL},        [DOOR_LINT] = {NULL, lint_command},
                   [DOOR_SAME] = {NULL, lint_same_command},  [DOOR_EXEC] = {NULL, exec_command},
                   [DOOR_TUNE] = {NULL, tune_command},       [DOOR_WISDOM] = {NULL, wisdom_command},
                   [DOOR_COMPARE] = {NULL, compare_command}, [DOOR_PADS] = {NULL, pads_command},
                   [DOOR_INIT] = {NULL, init_command},       [DOOR_SCHEMA] = {NULL, schema_of},
                   [DOOR_DOCTOR] = {NULL, doctor_command}};
  const Door kind = app->options.door;
  return door[kind].stages ? door[kind].stages(app) : run_command(app, door[kind].command);
}

static int run(App *app, int argc, char **argv) {
  if (!options_parse(app->arena, argc, argv, &app->options, &app->messages)) {
    text_puts(&app->messages, "try kgen --help\n");
    return refuse(app, stop(app, EXIT_USAGE));
  }
  if (app->options.answer) return answer(app);
  if (!open_repro(app, argc, argv)) return refuse(app, stop(app, EXIT_USAGE));
  const int code = refuse(app, open_door(app));
  close_repro(app, code);
  return code;
}

/* A closed stdin, stdout or stderr would be taken by the next file opened: occupy them. */
static void occupy_standard_files(void) {
  int fd;
  do fd = open("/dev/null", O_RDONLY);
  while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0) close(fd);
}

int main(int argc, char **argv) {
  occupy_standard_files();
  signal(SIGXFSZ, SIG_IGN); /* a limit on files is then an error of write() like any other */
  Arena *a = arena_new();
  App app = {.arena = a,
             .diag = diag_new(a),
             .messages = text_new(a),
             .written = text_new(a),
             .data = text_new(a)};
  const int code = run(&app, argc, argv);
  arena_free(a);
  return code;
}
