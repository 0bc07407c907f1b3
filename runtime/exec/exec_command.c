/* SPDX-License-Identifier: MIT */
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
  Text *data, *messages; /* messages: the report, if it is text */
  Diag *diag;
  const char *library;
  const Yaml *baseline; /* the report to compare with, or NULL */
  Scratch scratch;
  Tally *tally;
  ExecSession session;
  ExecReport report;
} ExecCommand;

/* --- before the program starts --- */

static bool is_of_exec(const Yaml *root) { return yaml_get(root, "exec") != NULL; }

/* Existing contents of the directory are never overwritten. */
static bool make_save_folder(ExecCommand *c) {
  const char *folder = c->options->exec.save;
  if (!folder) return true;
  if (folder_make(folder, 0777) && rmdir(folder) == 0 && folder_make(folder, 0777)) return true;
  diag_say(c->diag, DIAG_ARGUMENT, "--save %s: %s", folder, strerror(errno));
  return false;
}

/* The loader splits paths at these characters, and would ignore the library without a message. */
static bool can_be_loaded(const ExecCommand *c) {
  if (!strpbrk(c->library, ":; \t\n")) return true;
  diag_say(c->diag, DIAG_ARGUMENT,
           "the directory %s cannot be passed to the program's loader: its path has a "
           "colon, semicolon or blank; install kgen elsewhere",
           c->library);
  return false;
}

static int prepare(ExecCommand *c) {
  if (!c->options->exec.program.count) {
    diag_say(c->diag, DIAG_ARGUMENT, "a program is needed: kgen exec [options] PROGRAM");
    return EXIT_USAGE;
  }
  if (!compare_baseline(c->arena, c->options, "--exec", is_of_exec, &c->baseline, c->diag) ||
      !make_save_folder(c))
    return EXIT_USAGE;
  c->library = exec_library(c->arena, c->diag);
  if (!c->library) return EXIT_FAILED;
  return can_be_loaded(c) ? 0 : EXIT_USAGE;
}

/* --- when it has ended --- */

static void put_names(const WordList *all, Text *out) {
  for (int i = 0; i < all->count; i++) text_printf(out, "%s%s", i ? ", " : "", all->word[i]);
}

/* Prints why no launch was checked. The program may load its own libcuda, or start as another
 * user. */
static void explain_unchecked(const ExecCommand *c) {
  const ExecSession *s = &c->session;
  const Options *o = c->options;
  Text why = text_new(c->arena), *out = &why;
  if (!s->processes) {
    text_printf(out,
                "%s did not call CUDA through kgen: it uses none, names a driver's directory in "
                "its DT_RPATH, or runs as another user",
                o->exec.program.item[0]);
  } else if (s->unchecked && o->exec.kernels) {
    text_printf(out, "--kernels '%s' matches none of the kernels that ran: ", o->exec.kernels);
    put_names(&s->unchecked_kernels, out);
  } else if (s->unchecked && o->exec.skip) {
    text_printf(out, "--skip %lld leaves out all %llu launches", (long long)o->exec.skip,
                (unsigned long long)s->unchecked);
  } else if (s->refused) {
    text_puts(out, "a module was refused: it holds ");
    text_show(out, s->refused, strlen(s->refused));
  } else if (s->missing.count) {
    text_puts(out, "no kernel was launched; functions that kgen does not support were called: ");
    put_names(&s->missing, out);
  } else {
    text_puts(out, "no kernel was launched, or none that kgen could run");
  }
  diag_say(c->diag, DIAG_REJECTED, "error: nothing was checked: %s", why.s);
}

/* A CI gate must not pass if nothing was checked. */
static bool is_empty(const ExecCommand *c) {
  if (c->session.judged || c->options->exec.launches == 0) return false;
  explain_unchecked(c);
  return true;
}

static bool is_incomplete(const ExecCommand *c) {
  const ExecSession *s = &c->session;
  if (!s->lost) return false;
  diag_say(c->diag, DIAG_ARGUMENT,
           "error: the report is incomplete: records of launches or processes "
           "that are missing: %llu (%s)",
           (unsigned long long)s->lost,
           s->why_lost ? s->why_lost : "a process was killed, or has not ended");
  return true;
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
      diag_note(c->diag, "%s: %s: %s, in %s %s", change->of, change->what, change->is,
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
  return sarif_write(&log, path, code, c->data, c->diag);
}

static bool write_page(const ExecCommand *c) {
  if (!c->options->html) return true;
  const char *json = exec_report_page(c->arena, &c->report);
  return page_write(c->arena, c->options, json, c->data, c->diag);
}

/* True if the findings are a reason to fail: with a baseline, only what got worse. */
static bool has_failed(const ExecCommand *c, const Comparison *changes) {
  const int64_t most = c->options->lint.max_conflicts;
  const uint64_t conflicts = exec_report_conflicts(&c->report);
  const bool over = most >= 0 && conflicts > (uint64_t)most;
  if (over)
    diag_note(c->diag, "%llu conflicts, more than --max-conflicts %lld",
              (unsigned long long)conflicts, (long long)most);
  if (changes) return over || changes->of_verdict[CHANGE_WORSE];
  return over || exec_report_findings(&c->report);
}

static int judge(ExecCommand *c, int status) {
  c->report = (ExecReport){c->options, c->options->exec.program.item[0], status, &c->session};
  Comparison changes = {0};
  put_report(c);
  const bool incomplete = is_incomplete(c), empty = !incomplete && is_empty(c);
  if (c->baseline) {
    changes = compare(c);
    tell_changes(c, &changes);
  }
  const Comparison *known = c->baseline ? &changes : NULL;
  const bool failed = has_failed(c, known);
  int code = failed && c->options->exec.error_exit ? (int)c->options->exec.error_exit : status;
  if (empty && !code) code = EXIT_WRONG;
  if (incomplete) code = EXIT_FAILED;
  return write_page(c) && write_sarif(c, known, code) ? code : EXIT_FAILED;
}

/* --- the whole --- */

/* The text report shows only the call stacks of findings; other formats may show all. addr2line
 * takes most of the time of a short run. */
static ExecStacks stacks_of(const Options *o) {
  const bool others = o->format != FORMAT_TABLE || o->html || o->sarif || o->lint.baseline;
  if (others || o->verbose) return EXEC_STACKS_ALL;
  return o->quiet ? EXEC_STACKS_NONE : EXEC_STACKS_OF_FINDINGS;
}

static int run(ExecCommand *c) {
  char folder[PATH_MAX];
  const char *here = getcwd(folder, sizeof folder) ? folder : NULL;
  const int status = exec_start(c->arena, c->options, &c->scratch, c->library, c->diag);
  if (status < 0) return EXIT_USAGE;
  c->session = exec_session_read(c->arena, &c->scratch, c->tally, here);
  if (c->options->exec.no_leaks) exec_session_drop_leaks(&c->session);
  for (int i = 0; i < c->session.count; i++)
    lint_report_ignore(&c->session.launch[i]->report, c->options->lint.ignored);
  for (int i = 0; c->options->lint.strict && i < c->session.count; i++)
    lint_report_be_strict(c->arena, &c->session.launch[i]->report);
  exec_session_name(&c->session, c->arena, &c->scratch, here, stacks_of(c->options));
  return judge(c, status);
}

int exec_command(Arena *a, const Options *o, Text *data, Text *messages, Diag *diag) {
  ExecCommand c = {.arena = a, .options = o, .data = data, .messages = messages, .diag = diag};
  int code = prepare(&c);
  if (code) return code;
  if (!scratch_open(a, &c.scratch, scratch_parent())) {
    diag_say(diag, DIAG_ARGUMENT, "error: cannot create a directory for the session in %s: %s",
             scratch_parent(), strerror(errno));
    return EXIT_FAILED;
  }
  c.tally = tally_create(scratch_file(a, &c.scratch, TALLY_FILE));
  if (c.tally)
    code = run(&c);
  else
    diag_say(diag, DIAG_ARGUMENT, "error: the session in %s cannot be written: %s",
             c.scratch.folder, strerror(errno));
  tally_close(c.tally);
  scratch_close(&c.scratch);
  if (!c.tally) return EXIT_FAILED;
  return code;
}
