/* SPDX-License-Identifier: MIT */
#include "lint/report/markdown.h"

#include <inttypes.h>

#include "base/cells.h"

enum { WIDTH = 80 };

typedef struct {
  Text *out;
  Arena *arena;
  const LintReport *report;
} Page;

static const char *place(const Page *p, LintLocation at) {
  return at.file ? arena_printf(p->arena, "%s:%d", at.file, at.line)
                 : arena_printf(p->arena, "%d", at.line);
}

static const char *quote(const Page *p, LintLocation at) {
  const char *text = lint_source_line(p->report->source, at, WIDTH);
  return text ? text : "";
}

static const char *count(const Page *p, uint64_t n) {
  return arena_printf(p->arena, "%" PRIu64, n);
}

/* Writes a heading and a table, unless the table is empty. */
static void put_table(const Page *p, const char *heading, const Cells *g) {
  if (!g->rows) return;
  text_printf(p->out, "\n#### %s\n\n", heading);
  cells_markdown(g, p->out);
}

static void put_shared(const Page *p) {
  static const CellsColumn head[] = {{"", "line", false},
                                     {"", "source", true},
                                     {"", "access", true},
                                     {"", "times", false},
                                     {"", "wavefronts", false},
                                     {"", "ideal", false},
                                     {"", "lanes in one bank", false},
                                     {"", "minimum", false},
                                     {"", "why", true}};
  Cells g = cells_new(p->arena, head, 9);
  for (int i = 0; i < p->report->shared_count; i++) {
    const LintShared *s = &p->report->shared[i];
    const char **cell = cells_add(&g);
    cell[0] = place(p, s->at);
    cell[1] = quote(p, s->at);
    cell[2] = arena_printf(p->arena, "%s, %d bytes per lane", op_name[s->op], s->bytes);
    cell[3] = count(p, s->instructions);
    cell[4] = count(p, s->wavefronts);
    cell[5] = count(p, s->ideal);
    if (s->wavefronts > s->ideal) cell[6] = count(p, (uint64_t)s->worst_lanes);
    if (s->minimum) cell[7] = count(p, s->minimum);
    const char *why = lint_report_why(p->arena, s), *remedy = lint_report_remedy(p->arena, s);
    if (why || remedy)
      cell[8] = arena_printf(p->arena, "%s%s%s", why ? why : "", why && remedy ? "; " : "",
                             remedy ? remedy : "");
  }
  put_table(p, "Shared memory", &g);
}

static void put_global(const Page *p) {
  static const CellsColumn head[] = {{"", "line", false},    {"", "source", true},
                                     {"", "access", true},   {"", "times", false},
                                     {"", "sectors", false}, {"", "ideal", false}};
  Cells g = cells_new(p->arena, head, 6);
  for (int i = 0; i < p->report->global_count; i++) {
    const LintGlobal *s = &p->report->global[i];
    const char **cell = cells_add(&g);
    cell[0] = place(p, s->at);
    cell[1] = quote(p, s->at);
    cell[2] = arena_printf(p->arena, "%s, %d bytes per lane", op_name[s->op], s->bytes);
    cell[3] = count(p, s->requests);
    cell[4] = count(p, s->sectors);
    cell[5] = count(p, s->ideal);
  }
  put_table(p, "Global memory", &g);
}

static void put_hot(const Page *p) {
  static const CellsColumn head[] = {
      {"", "line", false}, {"", "source", true}, {"", "contended word", true}};
  Cells g = cells_new(p->arena, head, 3);
  for (int i = 0; i < p->report->hot_count; i++) {
    const LintHot *h = &p->report->hot[i];
    const char **cell = cells_add(&g);
    cell[0] = place(p, h->at);
    cell[1] = quote(p, h->at);
    cell[2] = lint_report_hot(p->arena, h);
  }
  put_table(p, "Contended words", &g);
}

static void put_fixes(const Page *p) {
  static const CellsColumn head[] = {{"", "array", true}, {"", "fix", true}, {"", "or", true}};
  Cells g = cells_new(p->arena, head, 3);
  for (int i = 0; i < p->report->fix_count; i++) {
    const LintFix *f = &p->report->fix[i];
    const char **cell = cells_add(&g);
    cell[0] = arena_printf(p->arena, "%s, %u bytes", f->array->name, f->array->bytes);
    cell[1] = f->fix ? f->fix : f->why_none ? f->why_none : "";
    cell[2] = f->alternative ? f->alternative : "";
  }
  put_table(p, "Layouts", &g);
}

/* Writes the message, then the other locations. */
static const char *message(const Page *p, const LintFinding *f) {
  Text t = text_new(p->arena);
  text_puts(&t, f->message);
  for (int i = 0; i < f->wheres; i++) {
    const LintWhere *w = &f->where[i];
    const char *file = w->at.file ? "" : "line ";
    if (w->at.line)
      text_printf(&t, "; %s%s: %s", file, place(p, w->at), w->text);
    else
      text_printf(&t, "; %s", w->text);
  }
  return t.s;
}

static void put_findings(const Page *p, const char *heading, const LintFinding *finding,
                         int findings) {
  static const CellsColumn head[] = {{"", "line", false},
                                     {"", "source", true},
                                     {"", "kind", true},
                                     {"", "what", true},
                                     {"", "times", false}};
  Cells g = cells_new(p->arena, head, 5);
  for (int i = 0; i < findings; i++) {
    const LintFinding *f = &finding[i];
    const char **cell = cells_add(&g);
    cell[0] = place(p, f->at);
    cell[1] = quote(p, f->at);
    cell[2] = emu_finding_kind_name[f->kind];
    cell[3] = message(p, f);
    cell[4] = count(p, f->count);
  }
  put_table(p, heading, &g);
}

void lint_markdown_put(Text *out, const LintReport *r) {
  const Page p = {out, out->arena, r};
  const uint32_t *g = r->grid, *b = r->block;
  text_puts(out, "### ");
  text_foreign(out, TEXT_MARKDOWN, r->source->path, strlen(r->source->path));
  text_puts(out, ": ");
  text_foreign(out, TEXT_MARKDOWN, r->kernel, strlen(r->kernel));
  text_printf(out, "\n\ngrid %ux%ux%u, block %ux%ux%u, %s: **%" PRIu64 " conflict%s, %d finding%s",
              g[0], g[1], g[2], b[0], b[1], b[2], r->source->arch, r->conflicts,
              r->conflicts == 1 ? "" : "s", r->finding_count, r->finding_count == 1 ? "" : "s");
  if (r->note_count) text_printf(out, ", %d note%s", r->note_count, r->note_count == 1 ? "" : "s");
  text_puts(out, "**\n");
  put_findings(&p, "Findings", r->finding, r->finding_count);
  put_findings(&p, "Notes", r->note, r->note_count);
  put_shared(&p);
  put_global(&p);
  put_hot(&p);
  put_fixes(&p);
}
