/* SPDX-License-Identifier: MIT */
#include "lint/command.h"

#include <string.h>
#include <unistd.h>

#include "command/compare.h"
#include "command/compare_lint.h"
#include "command/page.h"
#include "command/repro.h"
#include "lint/input/compile.h"
#include "lint/input/file.h"
#include "lint/lint.h"
#include "lint/report/json.h"
#include "lint/report/markdown.h"
#include "lint/report/page.h"
#include "lint/report/sarif.h"
#include "lint/report/text.h"

/* A checked launch. It is compared with the baseline once all launches are known. */
typedef struct {
  const Yaml *lint; /* the report as --json prints it, for the baseline */
  Sarif sarif;
} Judged;

/* One call of the command. */
typedef struct {
  Arena *arena;
  const Options *options;
  Text *data, *messages;
  Diag *diag;           /* printed after the messages */
  const Yaml *baseline; /* the report to compare with, or NULL */
  bool failed;          /* --baseline or --max-conflicts was violated */
  bool page_failed;     /* --html could not be written, which was reported */
  Sarif sarif;
  Json json;    /* the JSON of several launches */
  int reports;  /* number of reports written */
  bool several; /* the file has several launches */
  int64_t most; /* maximum number of conflicts of the launch; -1: unlimited */
  int judged_count, judged_capacity;
  Judged *judged;
} LintCommand;

/* --- the baseline --- */

/* A baseline that has no report of the kernel would tolerate nothing. */
static bool is_of_lint(const Yaml *root) {
  const Yaml *lint = yaml_get(root, "lint");
  return lint && lint->kind == YAML_LIST ? lint->count > 0 : yaml_get(lint, "accesses") != NULL;
}

/* Reports what got worse, or that the baseline could be made stricter. */
static void tell_changes(const LintCommand *c, const Comparison *changes) {
  const char *baseline = c->options->lint.baseline;
  for (int i = 0; i < changes->count; i++) {
    const Change *change = &changes->change[i];
    if (change->verdict == CHANGE_WORSE)
      text_printf(c->messages, "%s: %s: %s, in %s %s\n", change->of, change->what, change->is,
                  baseline, change->was);
  }
  const int better = changes->of_verdict[CHANGE_BETTER];
  if (better && !changes->of_verdict[CHANGE_WORSE] && !c->options->quiet)
    diag_note(c->diag, "better than %s in %d place%s: a new baseline would hold that", baseline,
              better, better == 1 ? "" : "s");
}

/* --- the report of a launch --- */

static void put_entry(Json *j, const LintReport *r) {
  json_object(j, NULL);
  lint_json_put_keys(j, r);
  json_end(j);
}

/* Appends a report to the reports of the file's other launches. */
static void put_report(LintCommand *c, const LintReport *r) {
  const bool follows = c->several && c->reports++ && c->options->format != FORMAT_JSON;
  if (follows && options_allow_table(c->options)) text_puts(c->data, "\n");
  switch (c->options->format) {
  case FORMAT_JSON:
    if (c->several)
      put_entry(&c->json, r);
    else
      lint_json_put(c->data, r);
    break;
  case FORMAT_MARKDOWN: lint_markdown_put(c->data, r); break;
  default:
    if (options_allow_table(c->options))
      lint_text_put(c->data, r, options_color(c->options, STDOUT_FILENO));
  }
}

static void write_page(LintCommand *c, const LintReport *r) {
  if (!c->options->html) return;
  const char *json = lint_page_data(c->arena, c->options, r);
  c->page_failed = !page_write(c->arena, c->options, json, c->data, c->diag);
}

/* Adds the results of one more launch. */
static void add_sarif(LintCommand *c, const Sarif *more) {
  if (!c->sarif.arena) c->sarif = *more;
  if (c->sarif.result == more->result) return;
  for (int i = 0; i < more->results; i++) sarif_add(&c->sarif, &more->result[i]);
}

/* The object that --json would print for the launch. */
static const Yaml *reread(const LintCommand *c, const LintReport *r) {
  Text text = text_new(c->arena);
  lint_json_put(&text, r);
  return yaml_get(compare_own(c->arena, &text), "lint");
}

static Comparison compare_one(const LintCommand *c, const Judged *now, const Yaml *before) {
  static const Yaml nothing = {.kind = YAML_MAP};
  Comparison changes = {.arena = c->arena};
  if (!before)
    diag_say(c->diag, DIAG_ARGUMENT, "%s has no such launch: %s", c->options->lint.baseline,
             compare_launch_label(c->arena, now->lint));
  compare_lint(&changes, before ? before : &nothing, now->lint);
  return changes;
}

/* Finds the baseline's report of each launch. If both sides have one launch, they are compared
 * whatever their names. */
static const Yaml **baselines(const LintCommand *c) {
  const Yaml *was = yaml_get(c->baseline, "lint");
  Yaml is = {.kind = YAML_LIST, .count = c->judged_count};
  is.item = ARENA_ARRAY(c->arena, const Yaml *, (size_t)is.count + 1);
  for (int i = 0; i < is.count; i++) is.item[i] = c->judged[i].lint;
  const Yaml **before = compare_launch_pairs(c->arena, compare_launch_list(c->arena, was), &is);
  if (!c->several && was->kind == YAML_MAP) before[0] = was;
  return before;
}

/* Compares all launches with the baseline at the end, because the matching depends on all of
 * them. */
static void settle(LintCommand *c) {
  const Yaml **before = c->baseline ? baselines(c) : NULL;
  for (int i = 0; i < c->judged_count; i++) {
    Judged *now = &c->judged[i];
    if (before) {
      const Comparison changes = compare_one(c, now, before[i]);
      tell_changes(c, &changes);
      lint_sarif_compare(&now->sarif, &changes);
      c->failed = c->failed || changes.of_verdict[CHANGE_WORSE];
    }
    add_sarif(c, &now->sarif);
  }
}

/* The launches of a file share one log, named after the file. */
static const char *category_of(const LintCommand *c, const char *kernel) {
  if (c->several) return arena_printf(c->arena, "lint/%s", c->options->lint.file);
  return lint_sarif_category(c->arena, c->options, kernel);
}

static void keep(LintCommand *c, const LintReport *r) {
  c->judged =
      arena_grow(c->arena, c->judged, c->judged_count, &c->judged_capacity, sizeof *c->judged);
  c->judged[c->judged_count++] = (Judged){c->baseline ? reread(c, r) : NULL,
                                          lint_sarif(c->arena, category_of(c, r->kernel), r)};
}

static void take_report(void *context, const LintReport *r) {
  LintCommand *c = context;
  put_report(c, r);
  write_page(c, r);
  bool failed = c->most >= 0 && r->conflicts > (uint64_t)c->most;
  for (int i = 0; i < r->output_count; i++) failed = failed || r->output[i].different;
  c->failed = c->failed || failed;
  keep(c, r);
}

/* Writes the reason for a missing report into JSON and SARIF. */
static void put_refusal(LintCommand *c, const Options *o, const LintLaunch *launch, int code,
                        const char *why) {
  const char *file = o->lint.file, *kernel = o->lint.kernel;
  if (c->options->format == FORMAT_JSON && launch)
    lint_json_refused(&c->json, NULL, launch->name, file, kernel, code, why);
  else if (c->options->format == FORMAT_JSON)
    lint_json_refusal(c->data, "lint", file, kernel, code, why);
  c->sarif = lint_sarif_refusal(c->arena, category_of(c, kernel), why);
}

/* --- checking --- */

/* With a baseline, findings alone do not fail the command; the comparison at the end decides. */
static int judge_launch(LintCommand *c, const Options *o, const LintLaunch *launch) {
  const size_t before = c->messages->len;
  c->most = launch ? launch->max_conflicts : o->lint.max_conflicts;
  Diag *diag = diag_new(c->arena);
  const int code = lint_judge(c->arena, o, launch, take_report, c, diag);
  diag_write(diag, c->messages);
  if (code > EXIT_WRONG)
    put_refusal(c, o, launch, code,
                arena_strndup(c->arena, c->messages->s + before, c->messages->len - before));
  if (c->page_failed) return EXIT_USAGE;
  return code <= EXIT_WRONG && c->baseline ? 0 : code;
}

/* Rejects --html and --dump for several launches. */
static bool is_one(const LintCommand *c, const LintFile *file) {
  const Options *o = c->options;
  if (file->launches == 1 || (!o->html && !o->lint.dump.count)) return true;
  diag_say(c->diag, DIAG_ARGUMENT,
           "--%s is of one launch, and %s has %d: choose with --kernel, by a `name` that one "
           "of them alone has",
           o->html ? "html" : "dump", file->path, file->launches);
  return false;
}

/* All launches of a file share its source and the compiler's options. */
static void compile_together(LintCommand *c, const LintFile *file) {
  const char **kernel = ARENA_ARRAY(c->arena, const char *, (size_t)file->launches + 1);
  for (int i = 0; i < file->launches; i++) kernel[i] = file->launch[i].options.lint.kernel;
  const LintBuild *build =
      lint_compile_all(c->arena, &file->launch[0].options, file->launches, kernel);
  for (int i = 0; i < file->launches; i++) file->launch[i].launch.build = build;
}

/* Checks each launch, even if a preceding one failed. */
static int judge_launches(LintCommand *c, const LintFile *file) {
  int worst = 0;
  if (file->launches) compile_together(c, file);
  c->several = true;
  c->json = json_new(c->data);
  if (c->options->format == FORMAT_JSON) {
    json_object(&c->json, NULL);
    json_int(&c->json, "version", 1);
    json_array(&c->json, "lint");
  }
  for (int i = 0; i < file->launches; i++) {
    LintFileLaunch *l = &file->launch[i];
    repro_reads(c->options->repro, l->options.lint.file);
    lint_args_dumps(c->arena, c->options, &l->launch);
    const int code = judge_launch(c, &l->options, &l->launch);
    if (code > worst) worst = code;
  }
  if (c->options->format == FORMAT_JSON) json_ends(&c->json, 2);
  return worst;
}

static int judge_file(LintCommand *c, const char *path) {
  LintFile file;
  Diag *d = diag_new(c->arena);
  repro_reads(c->options->repro, path);
  if (lint_file_read(c->arena, d, path, c->options, &file))
    return is_one(c, &file) ? judge_launches(c, &file) : EXIT_USAGE;
  const size_t before = c->messages->len;
  diag_print(d, c->messages, options_color(c->options, STDERR_FILENO));
  const char *why = arena_strndup(c->arena, c->messages->s + before, c->messages->len - before);
  put_refusal(c, c->options, NULL, EXIT_BAD_INPUT, why);
  return EXIT_BAD_INPUT;
}

static int judge(LintCommand *c) {
  const Options *o = c->options;
  if (!compare_baseline(c->arena, c->options, "--lint", is_of_lint, &c->baseline, c->diag)) {
    Text why = text_new(c->arena);
    diag_write(c->diag, &why);
    put_refusal(c, o, NULL, EXIT_USAGE, why.s);
    return EXIT_USAGE;
  }
  const char *path = o->lint.file ? lint_file_path(c->arena, o->lint.file) : NULL;
  const int code = path ? judge_file(c, path) : judge_launch(c, o, NULL);
  settle(c);
  return code || !c->baseline ? code : c->failed;
}

int lint_command(Arena *a, const Options *o, Text *data, Text *messages, Diag *diag) {
  LintCommand c = {.arena = a, .options = o, .data = data, .messages = messages, .diag = diag};
  const int code = judge(&c);
  const bool written = !o->sarif || sarif_write(&c.sarif, o->sarif, code, data, diag);
  return written ? code : EXIT_USAGE;
}
