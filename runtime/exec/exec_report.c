/* SPDX-License-Identifier: MIT */
#include "exec/exec_report.h"

#include <inttypes.h>
#include <string.h>

#include "base/cells.h"
#include "command/page.h"
#include "lint/report/json.h"
#include "lint/report/markdown.h"
#include "lint/report/text.h"

/* --- totals --- */

uint64_t exec_report_findings(const ExecReport *r) {
  const ExecSession *s = r->session;
  uint64_t count = (uint64_t)s->host_count;
  for (int i = 0; i < s->count; i++) count += (uint64_t)s->launch[i]->report.finding_count;
  return count;
}

static uint64_t notes_of(const ExecReport *r) {
  uint64_t count = 0;
  for (int i = 0; i < r->session->count; i++)
    count += (uint64_t)r->session->launch[i]->report.note_count;
  return count;
}

uint64_t exec_report_conflicts(const ExecReport *r) {
  uint64_t count = 0;
  for (int i = 0; i < r->session->count; i++) count += r->session->launch[i]->report.conflicts;
  return count;
}

static const char *plural(uint64_t n) { return n == 1 ? "" : "s"; }

/* ", 2 notes", or nothing */
static void put_notes(const ExecReport *r, Text *out) {
  const uint64_t notes = notes_of(r);
  if (notes) text_printf(out, ", %" PRIu64 " note%s", notes, plural(notes));
}

/* "2 kernels checked in 14 launches, 3 unchecked; emulated sm_90, in 2 processes" */
static void put_summary(const ExecReport *r, Text *out) {
  const ExecSession *s = r->session;
  text_printf(out, "%d kernel%s checked in %" PRIu64 " launch%s", s->count,
              plural((uint64_t)s->count), s->judged, s->judged == 1 ? "" : "es");
  if (s->unchecked) text_printf(out, ", %" PRIu64 " unchecked", s->unchecked);
  text_printf(out, "; emulated %s", r->options->exec.as->name);
  if (s->processes > 1) text_printf(out, ", %d processes", s->processes);
}

/* --- text --- */

/* The innermost call whose source line is known; without one, the innermost. */
static const LintFrame *nearest_line(const LintStack *s) {
  for (int i = 0; i < s->count; i++)
    if (s->frame[i].file) return &s->frame[i];
  return &s->frame[0];
}

/* One call unless the report is verbose: the others are often an interpreter's. */
static void put_stack(Text *out, const LintStack *s, bool verbose) {
  if (s->count > 1 && !verbose) {
    text_printf(out, "%*sin %s; %d calls in all: -v\n", 9, "",
                lint_stack_spell(out->arena, nearest_line(s)), s->count);
    return;
  }
  for (int i = 0; i < s->count; i++)
    text_printf(out, "%*s%s %s\n", 9, "", i ? "by" : "in",
                lint_stack_spell(out->arena, &s->frame[i]));
}

static void put_host(const ExecReport *r, Text *out, bool color) {
  const ExecSession *s = r->session;
  if (s->host_count) text_puts(out, "\nhost\n");
  for (int i = 0; i < s->host_count; i++) {
    const LintHostFinding *f = &s->host[i];
    text_puts(out, color ? "  \033[1;31m" : "  ");
    text_puts(out, lint_host_name[f->kind]);
    text_puts(out, color ? "\033[0m" : "");
    text_printf(out, ": %s", f->message);
    if (f->count > 1) text_printf(out, "; %" PRIu64 " times", f->count);
    if (f->count > 1 && f->bytes) text_printf(out, ", %" PRIu64 " bytes in all", f->bytes);
    text_puts(out, "\n");
    put_stack(out, &f->from, r->options->verbose);
  }
}

static void put_clean(Text *out, const LintReport *r) {
  const uint32_t *g = r->grid, *b = r->block;
  text_printf(out, "  clean: %s, grid %ux%ux%u, block %ux%ux%u", r->kernel, g[0], g[1], g[2], b[0],
              b[1], b[2]);
  if (r->launches > 1) text_printf(out, ", %" PRIu64 " launches", r->launches);
  text_puts(out, "\n");
}

static bool has_findings(const ExecReport *r, const LintReport *k) {
  return exec_session_has_findings(k) || r->options->verbose;
}

static void put_kernels(const ExecReport *r, Text *out, bool color) {
  const ExecSession *s = r->session;
  for (int i = 0; i < s->count; i++) {
    const LintReport *k = &s->launch[i]->report;
    if (!has_findings(r, k)) continue;
    text_puts(out, "\n");
    lint_text_put(out, k, color);
  }
  const char *space = "\n";
  for (int i = 0; i < s->count; i++) {
    if (has_findings(r, &s->launch[i]->report)) continue;
    text_puts(out, space);
    put_clean(out, &s->launch[i]->report);
    space = "";
  }
}

static void put_names(const char *what, const WordList *all, Text *out) {
  if (all->count) text_printf(out, "\n%s: ", what);
  for (int i = 0; i < all->count; i++) text_printf(out, "%s%s", i ? ", " : "", all->word[i]);
  if (all->count) text_puts(out, "\n");
}

void exec_report_text(const ExecReport *r, Text *out, bool color) {
  const uint64_t found = exec_report_findings(r), conflicts = exec_report_conflicts(r);
  text_printf(out, "kgen: %s: ", r->program);
  put_summary(r, out);
  text_puts(out, "\n");
  put_kernels(r, out, color);
  put_host(r, out, color);
  put_names("not supported, and called", &r->session->missing, out);
  put_names("still waited as the program ended them", &r->session->waiting, out);
  text_printf(out, "\nkgen: %" PRIu64 " conflict%s, %" PRIu64 " finding%s", conflicts,
              plural(conflicts), found, plural(found));
  put_notes(r, out);
  text_printf(out, "; the program's status is %d\n", r->status);
}

/* --- JSON --- */

static void put_list(Json *j, const char *key, const WordList *all) {
  json_array(j, key);
  for (int i = 0; i < all->count; i++) json_string(j, NULL, all->word[i]);
  json_end(j);
}

static void put_exec(const ExecReport *r, Json *j) {
  const ExecSession *s = r->session;
  json_object(j, "exec");
  json_string(j, "program", r->program);
  json_int(j, "status", r->status);
  json_string(j, "arch", r->options->exec.as->name);
  json_int(j, "processes", s->processes);
  json_int(j, "launches_judged", (int64_t)s->judged);
  json_int(j, "launches_not_judged", (int64_t)s->unchecked);
  json_int(j, "records_missing", (int64_t)s->lost);
  json_int(j, "conflicts", (int64_t)exec_report_conflicts(r));
  json_array(j, "host");
  for (int i = 0; i < s->host_count; i++) lint_host_put(j, &s->host[i]);
  json_end(j);
  put_list(j, "not_supported", &s->missing);
  put_list(j, "still_waited", &s->waiting);
  json_end(j);
}

static void put_launch(Json *j, const LintReport *report) {
  json_object(j, NULL);
  lint_json_put_keys(j, report);
  lint_stack_put(j, "launched_from", &report->from);
  lint_stacks_put(j, "also_from", &report->also_from);
  json_end(j);
}

void exec_report_json(const ExecReport *r, Text *out) {
  const ExecSession *s = r->session;
  Json j = json_new(out);
  json_object(&j, NULL);
  json_int(&j, "version", 1);
  put_exec(r, &j);
  json_array(&j, "lint");
  for (int i = 0; i < s->count; i++) put_launch(&j, &s->launch[i]->report);
  json_ends(&j, 2);
}

/* --- Markdown --- */

static void markdown_host(const ExecSession *s, Text *out) {
  static const CellsColumn head[] = {
      {"", "finding", true}, {"", "what", true}, {"", "where", true}, {"", "times", false}};
  Cells g = cells_new(out->arena, head, 4);
  for (int i = 0; i < s->host_count; i++) {
    const LintHostFinding *f = &s->host[i];
    const char **cell = cells_add(&g);
    cell[0] = lint_host_name[f->kind];
    cell[1] = f->message;
    cell[2] = f->from.count ? lint_stack_spell(out->arena, &f->from.frame[0]) : "";
    cell[3] = arena_printf(out->arena, "%" PRIu64, f->count);
  }
  if (!g.rows) return;
  text_puts(out, "\n### The host\n\n");
  cells_markdown(&g, out);
}

void exec_report_markdown(const ExecReport *r, Text *out) {
  const uint64_t found = exec_report_findings(r), conflicts = exec_report_conflicts(r);
  text_puts(out, "## ");
  text_foreign(out, TEXT_MARKDOWN, r->program, strlen(r->program));
  text_puts(out, "\n\n");
  put_summary(r, out);
  text_printf(out, ": **%" PRIu64 " conflict%s, %" PRIu64 " finding%s", conflicts,
              plural(conflicts), found, plural(found));
  put_notes(r, out);
  text_puts(out, "**\n\n");
  for (int i = 0; i < r->session->count; i++) {
    lint_markdown_put(out, &r->session->launch[i]->report);
    text_puts(out, "\n");
  }
  markdown_host(r->session, out);
}

/* --- the page --- */

const char *exec_report_page(Arena *a, const ExecReport *r) {
  Text report = text_new(a), out = text_new(a);
  exec_report_json(r, &report);
  Json j = page_begin(&out, r->options, "exec");
  json_string(&j, "arch", r->options->exec.as->name);
  json_raw(&j, "report", report.s);
  json_array(&j, "launches");
  for (int i = 0; i < r->session->count; i++) {
    const LintPictures *p = &r->session->launch[i]->pictures;
    json_object(&j, NULL);
    json_raw(&j, "arrays", p->arrays ? p->arrays : "[]");
    json_raw(&j, "sources", p->sources ? p->sources : "[]");
    json_end(&j);
  }
  json_ends(&j, 2);
  return out.s;
}
