#include "lint/lint_command.h"

#include <unistd.h>

#include "command/page.h"
#include "lint/lint.h"
#include "lint/lint_json.h"
#include "lint/lint_markdown.h"
#include "lint/lint_page.h"
#include "lint/lint_sarif.h"
#include "lint/lint_text.h"

enum { EXIT_FOUND = 1 };

/* One call of the command. */
typedef struct {
  Arena *arena;
  const Options *options;
  Text *data, *messages;
  const Yaml *baseline; /* the report to compare with, or NULL */
  bool failed;          /* what --baseline or --max-conflicts does not allow */
  bool page_failed;     /* --html could not be written, which has been told */
  Sarif sarif;
} Command;

/* --- the baseline --- */

/* A baseline that is no report of a kernel would tolerate nothing. */
static bool read_baseline(Command *c) {
  const char *path = c->options->lint.baseline;
  if (!path) return true;
  Diag *d = diag_new(c->arena);
  c->baseline = compare_read(c->arena, d, path, NULL);
  diag_print(d, c->messages, options_color(c->options, STDERR_FILENO));
  if (c->baseline && yaml_get(yaml_get(c->baseline, "lint"), "accesses")) return true;
  if (c->baseline) text_printf(c->messages, "kgen: %s holds no report of --lint\n", path);
  return false;
}

/* What got worse, and whether the baseline could be made stricter. */
static void tell_changes(const Command *c, LintSource *source, const Comparison *changes) {
  const char *baseline = c->options->lint.baseline;
  for (int i = 0; i < changes->count; i++) {
    const Change *change = &changes->change[i];
    if (change->verdict == CHANGE_WORSE)
      text_printf(c->messages, "%s: %s: %s, in %s %s\n", lint_source_shown(source, change->of),
                  change->what, change->is, baseline, change->was);
  }
  const int better = changes->of_verdict[CHANGE_BETTER];
  if (better && !changes->of_verdict[CHANGE_WORSE] && !c->options->quiet)
    text_printf(c->messages, "kgen: better than %s in %d place%s: a new baseline would hold that\n",
                baseline, better, better == 1 ? "" : "s");
}

/* The report against the baseline, as kgen --compare would. */
static Comparison compare(const Command *c, const LintReport *r) {
  Text text = text_new(c->arena);
  lint_json_put(&text, r);
  const Source source = {"the report", text.s, text.len};
  Diag *d = diag_new(c->arena);
  const Yaml *now = compare_read(c->arena, d, source.path, &source);
  if (!now) die("a report that cannot be read: %s", diag_first(d));
  return compare_reports(c->arena, c->baseline, now, 0);
}

/* --- what a launch showed --- */

static void put_report(const Command *c, const LintReport *r) {
  switch (c->options->format) {
  case FORMAT_JSON: lint_json_put(c->data, r); break;
  case FORMAT_MARKDOWN: lint_markdown_put(c->data, r); break;
  default:
    if (!c->options->quiet) lint_text_put(c->data, r, options_color(c->options, STDOUT_FILENO));
  }
}

static void write_page(Command *c, const LintReport *r) {
  Text why = text_new(c->arena);
  if (!c->options->html) return;
  const char *data = lint_page_data(c->arena, c->options, r);
  c->page_failed = !page_write(c->arena, c->options, data, &why);
  if (c->page_failed) text_printf(c->messages, "kgen: %s\n", why.s);
}

static void take_report(void *context, const LintReport *r) {
  Command *c = context;
  Comparison changes = {0};
  put_report(c, r);
  write_page(c, r);
  if (c->baseline) {
    changes = compare(c, r);
    tell_changes(c, r->source, &changes);
  }
  const int64_t most = c->options->lint.max_conflicts;
  c->failed = changes.of_verdict[CHANGE_WORSE] || (most >= 0 && r->conflicts > (uint64_t)most);
  c->sarif = lint_sarif(c->arena, r, c->baseline ? &changes : NULL);
}

/* What ends without a report tells programs, too, why. */
static void put_refusal(Command *c, int code, const char *why) {
  const LintOptions *o = &c->options->lint;
  if (c->options->format == FORMAT_JSON) lint_json_refusal(c->data, o->file, o->kernel, code, why);
  c->sarif = lint_sarif_refusal(c->arena, o->file, o->kernel, why);
}

/* What the baseline has, too, is no reason to fail. */
static int judge(Command *c) {
  if (!read_baseline(c)) return EXIT_USAGE;
  const int code = lint_judge(c->arena, c->options, take_report, c, c->messages);
  if (c->page_failed) return EXIT_USAGE;
  return code <= EXIT_FOUND && c->baseline ? c->failed : code;
}

int lint_command(Arena *a, const Options *o, Text *data, Text *messages) {
  Command c = {.arena = a, .options = o, .data = data, .messages = messages};
  const size_t before = messages->len;
  const int code = judge(&c);
  if (code > EXIT_FOUND)
    put_refusal(&c, code, arena_strndup(a, messages->s + before, messages->len - before));
  const bool written = !o->sarif || sarif_write(&c.sarif, o->sarif, code, messages);
  return written ? code : EXIT_USAGE;
}
