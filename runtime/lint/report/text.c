/* SPDX-License-Identifier: MIT */
#include "lint/report/text.h"

#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "lint/input/name.h"

enum { WIDTH = 100, INDENT = 9, SHOWN_LANES = 12 };

typedef struct {
  Text *out;
  const LintReport *report;
  bool color;
  LintLocation last; /* the last quoted line */
  LintTrail trail;   /* the last printed trail */
} Page;

static void highlight(const Page *p, bool on) {
  if (p->color) text_puts(p->out, on ? "\033[1;31m" : "\033[0m");
}

/* Breaks a text at blanks at the page's width, after `used` columns on its first line; further
 * lines are aligned with the text. */
static void put_broken(const Page *p, int used, const char *text) {
  for (int room = WIDTH - INDENT - used; (int)strlen(text) > room; room = WIDTH - INDENT) {
    int n = room;
    while (n > 0 && text[n] != ' ') n--;
    if (n == 0) break;
    text_printf(p->out, "%.*s\n%*s", n, text, INDENT, "");
    text += n + 1;
  }
  text_printf(p->out, "%s\n", text);
}

static void put_wrapped(const Page *p, const char *label, const char *text) {
  text_printf(p->out, "%*s", INDENT, label);
  put_broken(p, 0, text);
}

/* FILE:LINE, with the file's base name. */
static void put_place(const Page *p, Text *out, LintLocation at) {
  const char *file = at.file ? at.file : p->report->source->path;
  text_printf(out, "%s:%d", path_name(file), at.line);
}

/* "called from FILE:LINE, FILE:LINE", innermost first. */
static void put_places(const Page *p, const char *what, const LintLocation *place, int count) {
  if (!count) return;
  Text t = text_new(p->out->arena);
  for (int i = 0; i < count; i++) {
    text_printf(&t, "%s%s ", i ? "" : what, i ? "," : "");
    put_place(p, &t, place[i]);
  }
  text_printf(p->out, "%*s", INDENT, "");
  put_broken(p, 0, t.s);
}

static bool same_places(const LintLocation *a, int as, const LintLocation *b, int bs) {
  bool same = as == bs;
  for (int i = 0; same && i < as; i++) same = lint_location_compare(a[i], b[i]) == 0;
  return same;
}

/* Prints the location of the code of the rows that follow and its callers, if they differ from
 * the previous ones. */
static void put_trail(Page *p, LintLocation at, const LintTrail *t) {
  const LintTrail last = p->trail;
  p->trail = *t;
  if (!same_places(t->inner, t->inners, last.inner, last.inners))
    put_places(p, "code of", t->inners ? t->inner : &at, t->inners ? t->inners : 1);
  if (same_places(t->caller, t->callers, last.caller, last.callers) &&
      same_places(t->other, t->others, last.other, last.others))
    return;
  put_places(p, "called from", t->caller, t->callers);
  put_places(p, t->callers ? "and from" : "also called from", t->other, t->others);
}

static bool is_quoted(const Page *p, LintLocation at) {
  return at.line == p->last.line && at.file == p->last.file;
}

/* Prints the line's number and text, once for all its rows. */
static void put_line(Page *p, LintLocation at, const LintTrail *t) {
  if (is_quoted(p, at)) {
    put_trail(p, at, t);
    return;
  }
  const char *text = lint_source_line(p->report->source, at, WIDTH - INDENT);
  text_puts(p->out, "\n");
  if (at.file && (!p->last.file || strcmp(at.file, p->last.file) != 0))
    text_printf(p->out, "  %s:\n", at.file);
  text_printf(p->out, "  %5d  %s\n", at.line, text ? text : "");
  p->last = at;
  p->trail = (LintTrail){0};
  put_trail(p, at, t);
}

/* The innermost call that differs from the one in `first`; NULL: there is none. */
static const LintFrame *first_other(const LintStack *first, const LintStack *s) {
  for (int i = 0; i < s->count && i < first->count; i++)
    if (!lint_frame_same(&first->frame[i], &s->frame[i])) return &s->frame[i];
  return NULL;
}

static void put_other_places(const Page *p) {
  const LintReport *r = p->report;
  for (int i = 0; i < r->also_from.count; i++) {
    const LintFrame *f = first_other(&r->from, &r->also_from.stack[i]);
    if (f) text_printf(p->out, "           and from %s\n", lint_stack_spell(p->out->arena, f));
  }
}

static void put_head(const Page *p) {
  const LintReport *r = p->report;
  const uint32_t *g = r->grid, *b = r->block;
  text_printf(p->out,
              "%s: %s\n  grid %ux%ux%u, block %ux%ux%u, %s, %" PRIu64 " warp instructions\n",
              r->source->path, r->kernel, g[0], g[1], g[2], b[0], b[1], b[2], r->source->arch,
              r->warp_instructions);
  if (r->name && strcmp(lint_name_plain(p->out->arena, r->name), r->kernel) != 0)
    text_printf(p->out, "  launch %s\n", r->name);
  const uint32_t *c = r->cluster;
  if (c[0]) text_printf(p->out, "  clusters of %ux%ux%u blocks\n", c[0], c[1], c[2]);
  const uint64_t blocks = (uint64_t)g[0] * g[1] * g[2];
  if (r->blocks < blocks)
    text_printf(p->out, "  the first %" PRIu64 " of %" PRIu64 " blocks: %s\n", r->blocks, blocks,
                r->cut ? "--time-limit" : "a finding ended the launch");
  if (r->from.count)
    text_printf(p->out, "  launched from %s\n", lint_stack_spell(p->out->arena, &r->from.frame[0]));
  put_other_places(p);
  if (r->launches > 1) text_printf(p->out, "  %" PRIu64 " equal launches, together\n", r->launches);
}

/* --- accesses, line by line --- */

static void put_lanes(Page *p, const LintShared *s) {
  const int shown = number_least(s->worst_lanes, SHOWN_LANES);
  text_printf(p->out, "%*sworst: %d wavefronts", INDENT, "", s->worst_cost);
  if (s->worst_lanes) text_printf(p->out, ", bank %d serves lanes", s->worst_bank);
  for (int i = 0; i < shown; i++) text_printf(p->out, "%s %d", i ? "," : "", s->worst_lane[i]);
  if (s->worst_lanes > shown) text_printf(p->out, " and %d more", s->worst_lanes - shown);
  text_puts(p->out, "\n");
}

static void put_join(const Page *p, const LintJoin *j) {
  text_printf(p->out,
              "%*sptxas may join %d of these into %d of %s%d bytes: %d instead of %d wavefronts\n",
              INDENT, "", j->insns, j->joined, j->joined > 1 ? "up to " : "", j->bytes, j->after,
              j->before);
}

static void put_access(const Page *p, const char *space, Op op, int bytes, uint64_t times) {
  text_printf(p->out, "%*s%s %-8s %2d-byte lanes, %8" PRIu64 " times: ", INDENT, "", space,
              op_name[op], bytes, times);
}

static void put_shared(Page *p, const LintShared *s) {
  const bool conflict = s->wavefronts > s->ideal;
  put_line(p, s->at, &s->trail);
  highlight(p, conflict);
  put_access(p, "shared", s->op, s->bytes, s->instructions);
  text_printf(p->out, "%8" PRIu64 " wavefronts, ideal %" PRIu64, s->wavefronts, s->ideal);
  highlight(p, false);
  text_puts(p->out, "\n");
  if (conflict) put_lanes(p, s);
  const char *why = lint_report_why(p->out->arena, s);
  if (why) put_wrapped(p, "", why);
  if (s->join.insns) put_join(p, &s->join);
  const char *remedy = lint_report_remedy(p->out->arena, s);
  if (remedy) put_wrapped(p, "", remedy);
}

static void put_global(Page *p, const LintGlobal *g) {
  const bool wasteful = lint_report_is_wasteful(g);
  put_line(p, g->at, &g->trail);
  highlight(p, wasteful);
  put_access(p, "global", g->op, g->bytes, g->requests);
  text_printf(p->out, "%8" PRIu64 " sectors, ideal %" PRIu64 ", %.0f%% used", g->sectors, g->ideal,
              100 * lint_report_used_share(g));
  highlight(p, false);
  text_puts(p->out, "\n");
  if (wasteful)
    text_printf(p->out, "%*snot coalesced: %.1f sectors a request where %.1f would do\n", INDENT,
                "", (double)g->sectors / (double)g->requests,
                (double)g->ideal / (double)g->requests);
}

static void put_wgmma(Page *p, const LintWgmma *w) {
  put_line(p, w->at, &w->trail);
  text_printf(p->out,
              "%*s%-15s of %s, %8" PRIu64 " times: %8" PRIu64 " wavefronts, never in conflict\n",
              INDENT, "", w->tcgen05 ? "tcgen05.mma" : "wgmma",
              w->tcgen05 ? "threads" : "warpgroups", w->products, w->wavefronts);
}

/* True if the next row of a list, if there is one, precedes a location. */
static bool is_next(LintLocation *least, bool any, LintLocation at, bool first) {
  if (!any || (!first && lint_location_compare(at, *least) >= 0)) return false;
  *least = at;
  return true;
}

/* Merges the two lists, which are ordered by location. */
static void put_accesses(Page *p) {
  const LintReport *r = p->report;
  for (int s = 0, g = 0, w = 0;;) {
    LintLocation least = {0};
    int list = is_next(&least, s < r->shared_count, r->shared[s].at, true) ? 1 : 0;
    if (is_next(&least, g < r->global_count, r->global[g].at, !list)) list = 2;
    if (is_next(&least, w < r->wgmma_count, r->wgmma[w].at, !list)) list = 3;
    if (list == 1) put_shared(p, &r->shared[s++]);
    if (list == 2) put_global(p, &r->global[g++]);
    if (list == 3) put_wgmma(p, &r->wgmma[w++]);
    if (!list) return;
  }
}

/* --- layouts --- */

static void put_fix(const Page *p, const LintFix *f) {
  text_printf(p->out, "\n%s, %u bytes of shared memory: ", f->array->name, f->array->bytes);
  text_puts(p->out, f->fix ? "a layout that helps\n" : "no layout proposed\n");
  if (f->why_none) put_wrapped(p, "why: ", f->why_none);
  if (f->fix) put_wrapped(p, "fix: ", f->fix);
  if (f->alternative) put_wrapped(p, "or: ", f->alternative);
  if (f->fix && f->joined)
    text_printf(p->out, "%*s%" PRIu64 " wavefronts as it is, where ptxas joins what it may\n",
                INDENT, "but: ", f->joined);
}

/* --- findings --- */

static bool is_one_file(LintLocation a, LintLocation b) {
  b.line = a.line;
  return lint_location_compare(a, b) == 0;
}

/* "; also with line 9, 12, tile.h:34": names a file only if it is not the finding's. */
static void put_others(const Page *p, const LintFinding *f) {
  bool lines = false;
  for (int i = 1; i < f->others; i++) {
    const bool own = is_one_file(f->other[i], f->at);
    text_puts(p->out, i == 1 ? "; also with " : ", ");
    if (own)
      text_printf(p->out, "%s%d", lines ? "" : "line ", f->other[i].line);
    else
      put_place(p, p->out, f->other[i]);
    lines = own;
  }
}

/* "line 20: warp 4 waits for ...", or only the text. */
static void put_where(const Page *p, const LintFinding *f, const LintWhere *w) {
  Text t = text_new(p->out->arena);
  if (w->at.line && is_one_file(w->at, f->at))
    text_printf(&t, "line %d: ", w->at.line);
  else if (w->at.line)
    put_place(p, &t, w->at);
  text_printf(&t, "%s%s", w->at.line && !is_one_file(w->at, f->at) ? ": " : "", w->text);
  text_printf(p->out, "%*s", INDENT, "");
  put_broken(p, 0, t.s);
}

static void put_finding(Page *p, const LintFinding *f, bool note) {
  put_line(p, f->at, &f->trail);
  text_printf(p->out, "%*s", INDENT, "");
  highlight(p, !note);
  text_puts(p->out, emu_finding_kind_name[f->kind]);
  highlight(p, false);
  text_puts(p->out, ": ");
  put_broken(p, (int)strlen(emu_finding_kind_name[f->kind]) + 2, f->message);
  text_printf(p->out, "%*sthread (%u, %u, %u) of block (%u, %u, %u)", INDENT, "", f->thread[0],
              f->thread[1], f->thread[2], f->block[0], f->block[1], f->block[2]);
  if (f->count > 1) text_printf(p->out, ", the first of %" PRIu64, f->count);
  put_others(p, f);
  text_puts(p->out, "\n");
  put_places(p, "the other side is code of", f->other_trail.inner, f->other_trail.inners);
  if (!same_places(f->other_trail.caller, f->other_trail.callers, f->trail.caller,
                   f->trail.callers))
    put_places(p, "the other side is called from", f->other_trail.caller, f->other_trail.callers);
  for (int i = 0; i < f->wheres; i++) put_where(p, f, &f->where[i]);
}

static void put_findings(Page *p, const LintFinding *finding, int count, bool notes) {
  p->last = (LintLocation){0};
  if (count) text_puts(p->out, notes ? "\nnotes\n" : "\nfindings\n");
  for (int i = 0; i < count; i++) put_finding(p, &finding[i], notes);
}

/* Prints the buffers with expectations. */
static void put_outputs(const Page *p) {
  const LintReport *r = p->report;
  if (r->output_count) text_puts(p->out, "\noutputs\n\n");
  for (int i = 0; i < r->output_count; i++) {
    const LintOutput *o = &r->output[i];
    highlight(p, o->different > 0);
    text_printf(p->out, "%*s", INDENT, "");
    put_broken(p, 0,
               arena_printf(p->out->arena, "%s: %s", o->name,
                            lint_output_text(p->out->arena, o, "expected")));
    highlight(p, false);
  }
}

/* Prints the counts that belong to no line of the tables. */
static void put_asynchronous(const Page *p) {
  const LintReport *r = p->report;
  uint64_t products = 0, read = 0;
  bool tcgen05 = false;
  if (r->mbarriers)
    text_printf(p->out, "\n%" PRIu64 " mbarrier operation%s, which take no wavefronts\n",
                r->mbarriers, r->mbarriers == 1 ? "" : "s");
  if (r->bulk_copies)
    text_printf(p->out, "\n%" PRIu64 " bulk cop%s took %" PRIu64 " wavefronts of shared memory\n",
                r->bulk_copies, r->bulk_copies == 1 ? "y" : "ies", r->bulk_wavefronts);
  for (int i = 0; i < r->wgmma_count; i++) {
    products += r->wgmma[i].products;
    read += r->wgmma[i].wavefronts;
    tcgen05 |= r->wgmma[i].tcgen05;
  }
  if (products)
    text_printf(p->out, "\n%" PRIu64 " %s, which read their operands in %" PRIu64 " wavefronts%s\n",
                products, tcgen05 ? "tcgen05.mma" : "wgmma", read,
                tcgen05 ? "; results and checks by the ISA, not measured" : "");
}

static void put_totals(const Page *p) {
  const LintReport *r = p->report;
  uint64_t wavefronts = 0, sectors = 0, ideal = 0;
  for (int i = 0; i < r->shared_count; i++) wavefronts += r->shared[i].wavefronts;
  for (int i = 0; i < r->global_count; i++) {
    sectors += r->global[i].sectors;
    ideal += r->global[i].ideal;
  }
  put_asynchronous(p);
  text_printf(p->out,
              "\n%" PRIu64 " wavefronts, %" PRIu64 " of them conflicts; %" PRIu64
              " sectors, ideal %" PRIu64 "; %d finding%s",
              wavefronts, r->conflicts, sectors, ideal, r->finding_count,
              r->finding_count == 1 ? "" : "s");
  if (r->note_count)
    text_printf(p->out, ", %d note%s", r->note_count, r->note_count == 1 ? "" : "s");
  text_puts(p->out, "\n");
}

static void put_hot(Page *p) {
  const LintReport *r = p->report;
  p->last = (LintLocation){0};
  if (r->hot_count) text_puts(p->out, "\ncontended words\n");
  for (int i = 0; i < r->hot_count; i++) {
    put_line(p, r->hot[i].at, &(LintTrail){0});
    put_wrapped(p, "", lint_report_hot(p->out->arena, &r->hot[i]));
  }
}

void lint_text_put(Text *out, const LintReport *r, bool color) {
  Page p = {.out = out, .report = r, .color = color};
  put_head(&p);
  put_accesses(&p);
  put_hot(&p);
  for (int i = 0; i < r->fix_count; i++) put_fix(&p, &r->fix[i]);
  put_findings(&p, r->finding, r->finding_count, false);
  put_findings(&p, r->note, r->note_count, true);
  put_outputs(&p);
  put_totals(&p);
}
