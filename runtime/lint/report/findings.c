/* SPDX-License-Identifier: MIT */
#include "lint/report/findings.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Skips a decimal or hexadecimal number. */
static const char *skip_number(const char *s) {
  while (isxdigit((unsigned char)*s) || *s == 'x') s++;
  return s;
}

/* True if the message names that line: "line 12" or "tile.h:12". */
static bool names_line(const char *message, const char *at) {
  static const char word[] = "line ";
  const size_t n = sizeof word - 1;
  if (at > message + 1 && at[-1] == ':' && at[-2] != ' ') return true;
  return (size_t)(at - message) >= n && memcmp(at - n, word, n) == 0;
}

/* True if messages are equal except for addresses, threads and sizes; the line of the other access
 * must be equal, too. */
static bool says_the_same(const char *a, const char *b) {
  const char *const message = a;
  while (*a && *b) {
    const bool number = isdigit((unsigned char)*a) && isdigit((unsigned char)*b);
    if (number && !names_line(message, a)) {
      a = skip_number(a);
      b = skip_number(b);
    } else if (*a++ != *b++) {
      return false;
    }
  }
  return *a == *b;
}

/* True if both are code of one header line, or of none. */
static bool is_same_code(const LintTrail *a, const LintTrail *b) {
  if (!a->inners || !b->inners) return a->inners == b->inners;
  return lint_location_compare(a->inner[0], b->inner[0]) == 0;
}

/* True unless the findings name further locations and their calls differ: then they have other
 * causes. */
static bool is_same_call(const LintFinding *a, const LintFinding *b) {
  if (!a->wheres && !b->wheres) return true;
  if (!a->trail.callers || !b->trail.callers) return a->trail.callers == b->trail.callers;
  return lint_location_compare(a->trail.caller[0], b->trail.caller[0]) == 0;
}

/* True if the findings are reported as one: an unrolled loop without a barrier has a hundred faulty
 * instructions on one line, with one cause. */
bool lint_findings_same(const LintFinding *a, const LintFinding *b) {
  return lint_location_compare(a->at, b->at) == 0 && a->kind == b->kind &&
         is_same_code(&a->trail, &b->trail) && is_same_call(a, b) &&
         is_same_code(&a->other_trail, &b->other_trail) && says_the_same(a->message, b->message);
}

/* Blocks are ordered by z, then y, then x. */
static bool is_earlier(const LintFinding *a, const LintFinding *b) {
  for (int d = 2; d >= 0; d--)
    if (a->block[d] != b->block[d]) return a->block[d] < b->block[d];
  return false;
}

void lint_findings_merge(Arena *a, LintFinding *into, const LintFinding *more) {
  const uint64_t count = into->count + more->count;
  const LintFinding both[] = {*into, *more};
  const bool later = is_earlier(more, into);
  *into = both[later];
  into->count = count;
  lint_source_trail_add(a, &into->trail, &both[!later].trail);
}

/* A finding, and its order in the text of the PTX. */
typedef struct {
  LintFinding finding;
  int order;
} Found;

static int by_place(const void *a, const void *b) {
  const Found *x = a, *y = b;
  const int order = lint_location_compare(x->finding.at, y->finding.at);
  return order ? order : x->order - y->order;
}

static const LintWhere *wheres_of(LintSource *s, const EmuFinding *f) {
  LintWhere *where = ARENA_ARRAY(s->arena, LintWhere, (size_t)f->wheres + 1);
  for (int i = 0; i < f->wheres; i++) {
    const EmuWhere *w = &f->where[i];
    where[i].text = arena_printf(s->arena, "%s", w->text);
    if (!w->ptx_line) continue;
    const LintTrail t = lint_source_trail(s, w->at.file, w->at.line, w->ptx_line);
    where[i].at = lint_source_location(s, w->at.file, w->at.line, w->ptx_line);
    if (t.callers && !t.caller[0].file)
      where[i].text = arena_printf(s->arena, "%s (called at line %d)", w->text, t.caller[0].line);
  }
  return where;
}

static LintFinding found(LintSource *s, const EmuFinding *f) {
  LintFinding out = {.at = lint_source_location(s, f->file, f->line, f->ptx_line),
                     .trail = lint_source_trail(s, f->file, f->line, f->ptx_line),
                     .kind = f->kind,
                     .space = f->space,
                     .count = f->count,
                     .others = f->others,
                     .message = arena_printf(s->arena, "%s", f->message),
                     .wheres = f->wheres,
                     .where = wheres_of(s, f)};
  lint_source_trail_calls(s, &out.trail, f->call, f->calls);
  memcpy(out.thread, f->thread, sizeof out.thread);
  memcpy(out.block, f->block, sizeof out.block);
  for (int i = 0; i < f->others; i++)
    out.other[i] = lint_source_location(s, f->other[i].file, f->other[i].line, 0);
  if (f->others)
    out.other_trail = lint_source_trail(s, f->other[0].file, f->other[0].line, f->other_ptx_line);
  return out;
}

static void add(Arena *a, Found *all, int *count, LintFinding new) {
  for (int i = 0; i < *count; i++) {
    if (!lint_findings_same(&all[i].finding, &new)) continue;
    lint_findings_merge(a, &all[i].finding, &new);
    return;
  }
  all[*count] = (Found){new, *count};
  ++*count;
}

static LintFinding *sorted(Arena *a, Found *all, int count) {
  LintFinding *out = ARENA_ARRAY(a, LintFinding, (size_t)count + 1);
  qsort(all, (size_t)count, sizeof *all, by_place);
  for (int i = 0; i < count; i++) out[i] = all[i].finding;
  return out;
}

LintFinding *lint_findings(Arena *a, LintSource *s, const EmuFinding *finding, int *count) {
  const int given = *count;
  Found *all = ARENA_ARRAY(a, Found, (size_t)given + 1);
  *count = 0;
  for (int i = 0; i < given; i++) add(a, all, count, found(s, &finding[i]));
  return sorted(a, all, *count);
}

LintFinding *lint_findings_unite(Arena *a, const LintFinding *x, int xs, const LintFinding *y,
                                 int ys) {
  Found *all = ARENA_ARRAY(a, Found, (size_t)(xs + ys) + 1);
  for (int i = 0; i < xs; i++) all[i] = (Found){x[i], i};
  for (int i = 0; i < ys; i++) all[xs + i] = (Found){y[i], xs + i};
  return sorted(a, all, xs + ys);
}
