#include "exec/exec_command.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "command/compare.h"
#include "command/page.h"
#include "exec/exec_report.h"
#include "exec/exec_start.h"
#include "lint/report/sarif.h"

/* One call of the command. */
typedef struct {
  Arena *arena;
  const Options *options;
  Text *data, *messages;
  const char *library;
  const Yaml *baseline; /* the report to compare with, or NULL */
  Scratch scratch;
  ExecSession session;
  ExecReport report;
} ExecCommand;

/* --- before the program starts --- */

static bool is_of_exec(const Yaml *root) { return yaml_get(root, "exec") != NULL; }

/* Existing contents of the folder are never overwritten. */
static bool make_save_folder(ExecCommand *c) {
  const char *folder = c->options->exec.save;
  if (!folder) return true;
  if (folder_make(folder, 0777) && rmdir(folder) == 0 && folder_make(folder, 0777)) return true;
  text_printf(c->messages, "kgen: --save %s: %s\n", folder, strerror(errno));
  return false;
}

static int prepare(ExecCommand *c) {
  if (!c->options->exec.program.count) {
    text_puts(c->messages, "kgen: --exec needs a program: kgen --exec [options] -- PROGRAM\n");
    return EXIT_USAGE;
  }
  if (!compare_baseline(c->arena, c->options, "--exec", is_of_exec, &c->baseline, c->messages) ||
      !make_save_folder(c))
    return EXIT_USAGE;
  c->library = exec_library(c->arena, c->messages);
  return c->library ? 0 : EXIT_FAILED;
}

/* --- when it has ended --- */

/* A program may bring a libcuda of its own, or start as another user. */
static void tell_uncalled(const ExecCommand *c) {
  if (c->session.processes) return;
  text_printf(c->messages,
              "kgen: %s did not call CUDA through kgen: it uses none, names a driver's folder in "
              "its DT_RPATH, or runs as another user\n",
              c->options->exec.program.item[0]);
}

static void put_report(ExecCommand *c) {
  switch (c->options->format) {
  case FORMAT_JSON: exec_report_json(&c->report, c->data); break;
  case FORMAT_MARKDOWN: exec_report_markdown(&c->report, c->data); break;
  default:
    if (!c->options->quiet && c->session.processes)
      exec_report_text(&c->report, c->messages, options_color(c->options, STDERR_FILENO));
  }
}

static Comparison compare(const ExecCommand *c) {
  Text text = text_new(c->arena);
  exec_report_json(&c->report, &text);
  return compare_reports(c->arena, c->baseline, compare_own(c->arena, &text), 0);
}

static void tell_changes(const ExecCommand *c, const Comparison *changes) {
  for (int i = 0; i < changes->count; i++) {
    const Change *change = &changes->change[i];
    if (change->verdict == CHANGE_WORSE)
      text_printf(c->messages, "kgen: %s: %s: %s, in %s %s\n", change->of, change->what, change->is,
                  c->options->lint.baseline, change->was);
  }
}

static bool write_sarif(const ExecCommand *c, const Comparison *changes, int code) {
  const char *path = c->options->sarif;
  if (!path) return true;
  Sarif log = lint_sarif_begin(c->arena, arena_printf(c->arena, "exec/%s", c->report.program));
  for (int i = 0; i < c->session.count; i++) lint_sarif_add(&log, &c->session.launch[i]->report);
  if (changes) lint_sarif_compare(&log, changes);
  for (int i = 0; i < c->session.host_count; i++) lint_sarif_host(&log, &c->session.host[i]);
  return sarif_write(&log, path, code, c->data, c->messages);
}

static bool write_page(const ExecCommand *c) {
  Text why = text_new(c->arena);
  if (!c->options->html) return true;
  const char *json = exec_report_page(c->arena, &c->report);
  const bool written = page_write(c->arena, c->options, json, c->data, &why);
  if (!written) text_printf(c->messages, "kgen: %s\n", why.s);
  return written;
}

/* Whether the findings are a reason to fail: with a baseline, only what got worse. */
static bool has_failed(const ExecCommand *c, const Comparison *changes) {
  const int64_t most = c->options->lint.max_conflicts;
  const uint64_t conflicts = exec_report_conflicts(&c->report);
  const bool over = most >= 0 && conflicts > (uint64_t)most;
  if (over)
    text_printf(c->messages, "kgen: %llu conflicts, more than --max-conflicts %lld\n",
                (unsigned long long)conflicts, (long long)most);
  if (changes) return over || changes->of_verdict[CHANGE_WORSE];
  return over || exec_report_findings(&c->report);
}

static int judge(ExecCommand *c, int status) {
  c->report = (ExecReport){c->options, c->options->exec.program.item[0], status, &c->session};
  Comparison changes = {0};
  tell_uncalled(c);
  put_report(c);
  if (c->baseline) {
    changes = compare(c);
    tell_changes(c, &changes);
  }
  const Comparison *known = c->baseline ? &changes : NULL;
  const bool failed = has_failed(c, known);
  const int code =
      failed && c->options->exec.error_exit ? (int)c->options->exec.error_exit : status;
  return write_page(c) && write_sarif(c, known, code) ? code : EXIT_USAGE;
}

/* --- the whole --- */

static int run(ExecCommand *c) {
  char folder[PATH_MAX];
  const char *here = getcwd(folder, sizeof folder) ? folder : NULL;
  const int status = exec_start(c->arena, c->options, &c->scratch, c->library, c->messages);
  if (status < 0) return EXIT_USAGE;
  c->session = exec_session_read(c->arena, &c->scratch, here, c->messages);
  if (c->options->exec.no_leaks) exec_session_drop_leaks(&c->session);
  for (int i = 0; c->options->lint.strict && i < c->session.count; i++)
    lint_report_be_strict(c->arena, &c->session.launch[i]->report);
  return judge(c, status);
}

int exec_command(Arena *a, const Options *o, Text *data, Text *messages) {
  ExecCommand c = {.arena = a, .options = o, .data = data, .messages = messages};
  int code = prepare(&c);
  if (code) return code;
  if (!scratch_open(a, &c.scratch, scratch_parent())) {
    text_printf(messages, "kgen: cannot create a folder for the session: %s\n", strerror(errno));
    return EXIT_USAGE;
  }
  code = run(&c);
  scratch_close(&c.scratch);
  return code;
}
