/* SPDX-License-Identifier: MIT */
/* A report that was written and read back prints the same in every form; merged with itself, it
 * counts everything twice. */
#include "lint/report/read.h"

#include <string.h>

#include "check.h"
#include "command/compare.h"
#include "command/option_parse.h"
#include "lint/lint.h"
#include "lint/report/findings.h"
#include "lint/report/json.h"
#include "lint/report/markdown.h"
#include "lint/report/merge.h"
#include "lint/report/sarif.h"
#include "lint/report/text.h"

#define CASE KGEN_SOURCE_DIR "/tests/lint/cases/transpose.ptx"

typedef struct {
  const char *text, *json, *markdown, *sarif;
} Forms;

static Forms forms_of(Arena *a, const LintReport *r) {
  Text text = text_new(a), json = text_new(a), markdown = text_new(a), sarif = text_new(a);
  lint_text_put(&text, r, false);
  lint_json_put(&json, r);
  lint_markdown_put(&markdown, r);
  const Sarif log = lint_sarif(a, "lint", r);
  sarif_put(&log, &sarif, 0);
  return (Forms){text.s, json.s, markdown.s, sarif.s};
}

/* The report as a session writes it. */
static const char *written(Arena *a, const LintReport *r) {
  Text out = text_new(a);
  Json j = json_new(&out);
  json_object(&j, NULL);
  json_int(&j, "version", 1);
  json_object(&j, "lint");
  lint_json_put_keys(&j, r);
  json_end(&j);
  json_object(&j, "more");
  lint_json_put_more(&j, r);
  json_end(&j);
  json_end(&j);
  return out.s;
}

static LintReport read_back(Arena *a, const char *text) {
  const Source source = {"report", text, strlen(text)};
  const Yaml *root = yaml_read_report(a, diag_new(a), source.path, &source);
  LintReport r = {0};
  CHECK(lint_read(a, yaml_get(root, "lint"), yaml_get(root, "more"), NULL, &r), "it is read");
  return r;
}

static void check_merged(Arena *a, const char *text) {
  LintReport once = read_back(a, text), twice = read_back(a, text);
  CHECK(lint_merge_equal(&once, &twice), "the same launch");
  lint_merge(a, &twice, &once);
  CHECK(twice.launches == 2 && twice.conflicts == 2 * once.conflicts, "conflicts");
  CHECK(twice.shared_count == once.shared_count && twice.fix_count == once.fix_count, "rows");
  for (int i = 0; i < once.shared_count; i++)
    CHECK(twice.shared[i].wavefronts == 2 * once.shared[i].wavefronts, "row %d", i);
  CHECK(twice.global[0].sectors == 2 * once.global[0].sectors, "sectors");
  const int worst = twice.shared[0].worst_cost;
  once.shared[0].worst_cost = worst + 1;
  lint_merge(a, &twice, &once);
  CHECK(twice.shared[0].worst_cost == worst + 1, "the worse instruction is shown");
  twice.grid[0]++;
  CHECK(!lint_merge_equal(&once, &twice), "another grid is another launch");
}

/* Shows the earliest block's finding of each line: blocks are ordered by z, y,
 * x. */
static void check_earliest(Arena *a) {
  LintFinding into = {.block = {5, 0, 1}, .count = 3};
  lint_findings_merge(a, &into, &(LintFinding){.block = {0, 1, 1}, .count = 2});
  CHECK(into.block[0] == 5 && into.count == 5, "a later block's finding is counted");
  lint_findings_merge(a, &into, &(LintFinding){.block = {9, 9, 0}, .count = 1});
  CHECK(into.block[2] == 0 && into.count == 6, "an earlier block's finding is shown");
}

static void take(void *context, const LintReport *r) {
  Arena *a = context;
  const char *text = written(a, r);
  const LintReport back = read_back(a, text);
  const Forms was = forms_of(a, r), is = forms_of(a, &back);
  CHECK(r->conflicts && r->shared_count && r->fix_count, "there is something to tell");
  CHECK(strcmp(was.text, is.text) == 0, "text:\n%s\nread back:\n%s", was.text, is.text);
  CHECK(strcmp(was.json, is.json) == 0, "JSON:\n%s\nread back:\n%s", was.json, is.json);
  CHECK(strcmp(was.markdown, is.markdown) == 0, "Markdown:\n%s\n%s", was.markdown, is.markdown);
  CHECK(strcmp(was.sarif, is.sarif) == 0, "SARIF:\n%s\nread back:\n%s", was.sarif, is.sarif);
  check_merged(a, text);
}

static void judge(Arena *a, int block) {
  Options o;
  Diag *diag = diag_new(a);
  char *line[] = {"kgen",
                  "--lint=" CASE,
                  "--kernel=transpose",
                  "--grid=2,2",
                  arena_printf(a, "--block=%d,8", block),
                  "--arg=buf:16384",
                  "--arg=buf:16384",
                  "--arg=i32:64"};
  const bool ok = options_parse(a, sizeof line / sizeof *line, line, &o, diag);
  CHECK(ok && lint_judge(a, &o, NULL, take, a, diag) <= 1, "%s", diag_first(diag));
}

int main(void) {
  Arena *a = arena_new();
  check_earliest(a);
  judge(a, 32);
  judge(a, 24); /* with findings: a column in four is not written */
  arena_free(a);
  return check_report("lint_read");
}
