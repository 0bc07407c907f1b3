/* SPDX-License-Identifier: MIT */
#include "lint/report/page.h"

#include <string.h>

#include "command/page.h"
#include "emit/page.h"
#include "emit/page_tile.h"
#include "lint/report/json.h"

/* --- arrays --- */

/* The array is drawn in the rows of its fix, else in the rows of the source, else without rows. */
static const AccessSet *set_of(Arena *a, const LintFix *f) {
  const AccessSet *set = lint_set_new(a, f->array, f->elements, f->cols, WANT_AUTO);
  return set || !f->cols ? set : lint_set_new(a, f->array, f->elements, 0, WANT_AUTO);
}

static void put_place(Json *j, LintLocation at) {
  json_line(j, NULL);
  json_string(j, "file", at.file);
  json_int(j, "line", at.line);
  json_end(j);
}

/* Writes the source locations of each access. */
static void put_places(Json *j, const LintReport *r, const AccessSet *set, const LintOrigin *o) {
  json_array(j, "places");
  for (int i = 0; i < set->accesses; i++)
    put_place(j, lint_source_location(r->source, o->insn[i]->file, o->insn[i]->line,
                                      o->insn[i]->ptx_line));
  json_end(j);
}

static void put_array(Json *j, Arena *a, const LintReport *r, const LintFix *f) {
  const AccessSet *set = set_of(a, f);
  json_object(j, NULL);
  json_string(j, "name", f->array->name);
  if (set) {
    const LintOrigin origin = lint_set_origin(a, f->array, set);
    const KgenLayout plain = layout_plain(set->tile);
    const PageTile tile = {
        .set = set, .chosen = f->fix ? &f->layout : &plain, .times = origin.times};
    page_tile(j, a, &tile);
    put_places(j, r, set, &origin);
  }
  json_end(j);
}

/* --- the source --- */

enum { MARGIN = 60 }; /* lines before and after a line with a finding */

/* The lines of one file that are shown. */
typedef struct {
  const char *file; /* NULL: the checked file */
  const char *text;
  int lines;
  bool *shown; /* by line number, from 1 */
} Shown;

typedef struct {
  Arena *arena;
  const LintReport *report;
  int count, capacity;
  Shown *file;
} Sources;

static int lines_of(const char *text) {
  int lines = 0;
  for (const char *c = text; *c; c++) lines += *c == '\n' || !c[1];
  return lines;
}

static bool is_same(const char *x, const char *y) { return x && y ? strcmp(x, y) == 0 : x == y; }

/* The entry of a file. A file that must not be quoted has no text and no lines. */
static Shown *file_of(Sources *s, const char *file) {
  for (int i = 0; i < s->count; i++)
    if (is_same(s->file[i].file, file)) return &s->file[i];
  const LintSource *source = s->report->source;
  const char *text = file ? lint_files_text(source->files, file) : source->text;
  Shown new = {.file = file, .text = text ? text : ""};
  new.lines = lines_of(new.text);
  new.shown = ARENA_ARRAY(s->arena, bool, (size_t) new.lines + 2);
  s->file = arena_grow(s->arena, s->file, s->count, &s->capacity, sizeof *s->file);
  s->file[s->count] = new;
  return &s->file[s->count++];
}

static void show(Sources *s, LintLocation at) {
  Shown *f = file_of(s, at.file);
  for (int line = at.line - MARGIN; line <= at.line + MARGIN; line++)
    if (line > 0 && line <= f->lines) f->shown[line] = true;
}

/* Writes one line, truncated to a readable length. */
static void put_line(Json *j, Arena *a, const char *line) {
  enum { LONGEST = 400 };
  const size_t n = strcspn(line, "\r\n");
  json_string(j, NULL, arena_strndup(a, line, n < LONGEST ? n : LONGEST));
}

/* A run of shown lines as {"file", "first", "lines"}. */
static void put_parts(Json *j, const Sources *s, const Shown *f) {
  const char *at = f->text;
  bool open = false;
  for (int line = 1; line <= f->lines; line++) {
    if (f->shown[line] && !open) {
      json_object(j, NULL);
      json_string(j, "file", f->file);
      json_int(j, "first", line);
      json_array(j, "lines");
    }
    if (f->shown[line]) put_line(j, s->arena, at);
    open = f->shown[line];
    if (open && !f->shown[line + 1]) {
      json_ends(j, 2);
    }
    at += strcspn(at, "\n");
    at += *at == '\n';
  }
}

static const char *sources_of(Arena *a, const LintReport *r) {
  Text out = text_new(a);
  Json json = json_new(&out), *j = &json;
  Sources s = {.arena = a, .report = r};
  file_of(&s, NULL);
  for (int i = 0; i < r->shared_count; i++) show(&s, r->shared[i].at);
  for (int i = 0; i < r->global_count; i++) show(&s, r->global[i].at);
  for (int i = 0; i < r->finding_count; i++) show(&s, r->finding[i].at);
  for (int i = 0; i < r->note_count; i++) show(&s, r->note[i].at);
  json_array(j, NULL);
  for (int i = 0; i < s.count; i++) put_parts(j, &s, &s.file[i]);
  json_end(j);
  return out.s;
}

static const char *arrays_of(Arena *a, const LintReport *r) {
  Text out = text_new(a);
  Json j = json_new(&out);
  json_array(&j, NULL);
  for (int i = 0; i < r->fix_count; i++) put_array(&j, a, r, &r->fix[i]);
  json_end(&j);
  return out.s;
}

LintPictures lint_page_pictures(Arena *a, const LintReport *r) {
  return (LintPictures){arrays_of(a, r), sources_of(a, r)};
}

const char *lint_page_data(Arena *a, const Options *o, const LintReport *r) {
  Text report = text_new(a), out = text_new(a);
  lint_json_put(&report, r);
  Json j = page_begin(&out, o, "lint");
  json_string(&j, "arch", r->source->arch);
  json_raw(&j, "report", report.s);
  const LintPictures pictures = lint_page_pictures(a, r);
  json_raw(&j, "arrays", pictures.arrays);
  json_raw(&j, "sources", pictures.sources);
  json_end(&j);
  return out.s;
}
