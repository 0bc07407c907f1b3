/* SPDX-License-Identifier: MIT */
/* main.c: the program: runs the command that the arguments select. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "app.h"
#include "command/begin.h"
#include "command/compare_report.h"
#include "command/doctor.h"
#include "command/option_help.h"
#include "command/option_parse.h"
#include "command/option_table.h"
#include "command/refusal.h"
#include "command/repro.h"
#include "device/inventory.h"
#include "exec/exec_command.h"
#include "generate.h"
#include "lint/command.h"
#include "lint/input/file.h"
#include "lint/same.h"
#include "pads/pads_print.h"
#include "tune/tune_command.h"
#include "tune/wisdom_command.h"

/* --- commands that need none of the stages --- */

typedef int CommandRun(Arena *a, const Options *o, Text *data, Text *messages, Diag *diag);

static int run_command(App *app, CommandRun *command) {
  const int code = command(app->arena, &app->options, &app->data, &app->messages, app->diag);
  app_flush_messages(app);
  return app_flush_data(app) || code ? code : EXIT_USAGE;
}

/* kgen --pads: prints a table that needs no spec. */
static int pads_command(Arena *a, const Options *o, Text *data, Text *messages, Diag *diag) {
  const Pads *p = pads_compute(a);
  (void)messages, (void)diag;
  if (o->format == FORMAT_JSON)
    pads_json(p, data);
  else if (o->format == FORMAT_CSV)
    pads_csv(p, data);
  else
    pads_print(p, data);
  return 0;
}

/* kgen --schema: prints the schema of specs; with `lint`, of a lint.yaml. */
static int schema_of(Arena *a, const Options *o, Text *data, Text *messages, Diag *diag) {
  if (!o->spec.count) return schema_command(a, o, data, messages, diag);
  if (o->spec.count == 1 && strcmp(o->spec.item[0], "lint") == 0) {
    lint_file_schema(data);
    return 0;
  }
  diag_say(diag, DIAG_ARGUMENT,
           "schema prints the JSON Schema of specs, schema lint that of lint.yaml");
  return EXIT_USAGE;
}

static void json_version(App *app) {
  Json j = json_new(&app->data);
  json_object(&j, NULL);
  json_int(&j, "version", 1);
  json_string(&j, "kgen", KGEN_VERSION);
  json_object(&j, "cuda");
  inventory_json(app->arena, &j);
  json_ends(&j, 2);
}

static void print_version(App *app) {
  if (app->options.format == FORMAT_JSON) {
    json_version(app);
    return;
  }
  text_puts(&app->data, "kgen " KGEN_VERSION "\n");
  inventory_print(app->arena, &app->data);
}

static int inform(App *app) {
  const Options *o = &app->options;
  if (o->info == INFO_VERSION)
    print_version(app);
  else if (o->info == INFO_SCREEN || o->verb == COMMANDS)
    option_help_screen(o->info == INFO_SCREEN ? &app->messages : &app->data);
  else
    option_help(&app->data, o->verb);
  app_flush_messages(app);
  return app_flush_data(app) && o->info != INFO_SCREEN ? 0 : EXIT_USAGE;
}

/* True for failures that --repro keeps: a wrong result, a rejected kernel, a failing call. */
static bool is_worth_repeating(int code) {
  return code == EXIT_WRONG || code == EXIT_REJECTED || code == EXIT_FAILED;
}

static bool open_repro(App *app, int argc, char **argv) {
  Options *o = &app->options;
  if (!o->repro_folder) return true;
  o->repro = repro_open(app->arena, o->repro_folder, argc, argv, app->diag);
  for (int i = 0; i < o->named.count; i++) repro_reads(o->repro, o->named.item[i]);
  for (int i = 0; i < o->spec.count; i++) repro_reads(o->repro, o->spec.item[i]);
  return o->repro != NULL;
}

static void close_repro(App *app, int code) {
  Options *o = &app->options;
  if (!o->repro) return;
  if (is_worth_repeating(code))
    repro_write(o->repro, code, &app->data, app->diag);
  else
    repro_drop(o->repro);
  o->repro = NULL;
  app_flush_messages(app);
}

/* If a command ends without its JSON object, --json prints the messages as one. */
static int refuse(App *app, int code) {
  if (!code || app->options.format != FORMAT_JSON || app->data.len) return code;
  refusal_json(&app->data, code, app->written.s, app->reported);
  app_flush_data(app);
  return code;
}

/* Runs the stages for specs, or the function of another command. */
static int run_selected(App *app) {
  static const struct {
    int (*stages)(App *);
    CommandRun *run;
  } command[COMMANDS] = {[COMMAND_GEN] = {generate, NULL},
                         [COMMAND_SWEEP] = {generate, NULL},
                         [COMMAND_FRONT] = {generate_front, NULL},
                         [COMMAND_LINT] = {NULL, lint_command},
                         [COMMAND_SAME] = {NULL, lint_same_command},
                         [COMMAND_EXEC] = {NULL, exec_command},
                         [COMMAND_TUNE] = {NULL, tune_command},
                         [COMMAND_WISDOM] = {NULL, wisdom_command},
                         [COMMAND_COMPARE] = {NULL, compare_command},
                         [COMMAND_PADS] = {NULL, pads_command},
                         [COMMAND_INIT] = {NULL, init_command},
                         [COMMAND_SCHEMA] = {NULL, schema_of},
                         [COMMAND_DOCTOR] = {NULL, doctor_command}};
  const Command selected = app->options.command;
  return command[selected].stages ? command[selected].stages(app)
                                  : run_command(app, command[selected].run);
}

static int run(App *app, int argc, char **argv) {
  if (!options_parse(app->arena, argc, argv, &app->options, app->diag)) {
    const Command verb = app->options.verb;
    diag_more(app->diag,
              arena_printf(app->arena, "try kgen help%s%s\n", verb == COMMANDS ? "" : " ",
                           verb == COMMANDS ? "" : command_table[verb].verb));
    return refuse(app, app_stop(app, EXIT_USAGE));
  }
  if (app->options.info) return inform(app);
  if (!open_repro(app, argc, argv)) return refuse(app, app_stop(app, EXIT_USAGE));
  const int code = refuse(app, run_selected(app));
  close_repro(app, code);
  return code;
}

/* Occupies stdin, stdout and stderr if they are closed: the next opened file would become one of
 * them. */
static void occupy_standard_files(void) {
  int fd;
  do fd = open("/dev/null", O_RDONLY);
  while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0) close(fd);
}

int main(int argc, char **argv) {
  occupy_standard_files();
  signal(SIGXFSZ, SIG_IGN); /* makes a file-size limit an ordinary error of write() */
  signal(SIGCHLD, SIG_DFL); /* if the parent process ignores it, waitpid() cannot return the status
                               of a child */
  Arena *a = arena_new();
  App app = {.arena = a,
             .messages = text_screen(a),
             .diag = diag_new(a),
             .written = text_new(a),
             .data = text_screen(a)};
  const int code = run(&app, argc, argv);
  arena_free(a);
  return code;
}
