/* SPDX-License-Identifier: MIT */
#include "libcuda/image/cubin_lines.h"

#include <string.h>

#include "base/span.h"
#include "base/text.h"
#include "libcuda/image/line_assembly.h"
#include "libcuda/image/line_table.h"

/* Maximum depth of inlined calls that one instruction is reported with. */
enum { MAX_DEPTH = 32 };

/* --- the source line of each line of PTX --- */

typedef struct {
  LineTable source, ptx;
} Tables;

/* True if a row belongs to the unit. The table of a module with one unit names no section. */
static bool is_of(const LineRow *row, const PtxUnit *unit) {
  return !row->file || strcmp(row->file, unit->section) == 0;
}

static void place_function(const Tables *t, const LineFunction *f, const PtxUnit *unit,
                           LinePlaces *p) {
  for (int i = f->first; i < f->first + f->count - 1; i++) {
    const LineRow *row = &t->ptx.row[i];
    const bool holds = row[1].address > row->address && row->line && row->line <= p->lines;
    if (!holds || p->of[row->line] || !is_of(row, unit)) continue;
    const LineRow *source = line_table_find(&t->source, f->symbol, row->address);
    if (source && source->line && source->file) p->of[row->line] = source;
  }
}

static LinePlaces places_of(Arena *a, const Tables *t, const PtxUnit *unit) {
  LinePlaces p = {.lines = text_lines(unit->ptx, unit->bytes)};
  p.of = ARENA_ARRAY(a, const LineRow *, (size_t)p.lines + 1);
  for (int i = 0; i < t->ptx.functions; i++) place_function(t, &t->ptx.function[i], unit, &p);
  return p;
}

/* --- its text --- */

typedef struct {
  Arena *arena;
  const Tables *tables;
  const char **file;
  int files, capacity;
  Text out;
} Writer;

/* The number of a file, counted from 1. */
static int number_of(Writer *w, const char *file) {
  for (int i = 0; i < w->files; i++)
    if (strcmp(w->file[i], file) == 0) return i + 1;
  w->file = arena_grow(w->arena, w->file, w->files, &w->capacity, sizeof *w->file);
  w->file[w->files++] = file;
  return w->files;
}

/* Writes the .loc of a row after the .loc of its callers, outermost first. */
static void put_loc(Writer *w, const LineRow *row, int depth) {
  const int caller = depth < MAX_DEPTH ? row->caller : -1;
  const LineRow *by = caller < 0 ? NULL : &w->tables->source.row[caller];
  const int number = number_of(w, row->file);
  if (by && by->file) put_loc(w, by, depth + 1);
  text_printf(&w->out, ".loc %d %d 0", number, row->line);
  if (by && by->file)
    text_printf(&w->out, ", function_name $L__inlined, inlined_at %d %d 0", number_of(w, by->file),
                by->line);
  text_puts(&w->out, " ");
}

static int depth_after(Span line, int depth) {
  for (size_t i = 0; i < line.len; i++) depth += (line.s[i] == '{') - (line.s[i] == '}');
  return depth;
}

/* The row of the instructions from a line up to the next blank one. A blank line is where ptxas
 * removed a .loc. */
static const LineRow *row_from(const LinePlaces *p, int line, const char *at) {
  for (int depth = 1; *at && line <= p->lines && depth > 0; line++) {
    const Span text = span_line(&at);
    if (span_is_blank(text)) return NULL;
    if (p->of[line]) return p->of[line];
    depth = depth_after(text, depth);
  }
  return NULL;
}

static void put_lines(Writer *w, const LinePlaces *p, const char *at) {
  const LineRow *now = NULL;
  for (int line = 1, depth = 0; *at; line++) {
    const Span text = span_line(&at);
    const bool blank = span_is_blank(text);
    const LineRow *row = depth <= 0 ? NULL : blank ? row_from(p, line + 1, at) : p->of[line];
    if (depth <= 0) now = NULL;
    if (row && !line_row_same(now, row)) put_loc(w, now = row, 0);
    text_add(&w->out, text.s, text.len);
    text_puts(&w->out, "\n");
    depth = depth_after(text, depth);
  }
}

/* Writes a .file line. As in nvcc's output, a backslash precedes quotes and backslashes, and a line
 * break is spelled \n. */
static void put_file(Writer *w, int number) {
  text_printf(&w->out, ".file %d \"", number);
  for (const char *c = w->file[number - 1]; *c; c++)
    text_printf(&w->out, strchr("\"\\\n", *c) ? "\\%c" : "%c", *c == '\n' ? 'n' : *c);
  text_puts(&w->out, "\"\n");
}

static void restore(Arena *a, const Tables *t, PtxUnit *unit) {
  static const char names[] = ".section .debug_str\n{\n$L__inlined:\n.b8 0\n}\n";
  LinePlaces p = places_of(a, t, unit);
  line_assembly_undo(a, &p, unit->ptx);
  Writer w = {.arena = a, .tables = t, .out = text_new(a)};
  put_lines(&w, &p, unit->ptx);
  if (!w.files) return;
  for (int i = 1; i <= w.files; i++) put_file(&w, i);
  text_puts(&w.out, names);
  unit->ptx = w.out.s;
  unit->bytes = w.out.len;
}

void cubin_lines_restore(Arena *a, PtxUnit *unit, int units) {
  if (!units) return;
  const Cubin cubin = unit->machine;
  const Tables t = {line_table_read(a, cubin, ".debug_line"),
                    line_table_read(a, cubin, ".nv_debug_line_sass")};
  for (int i = 0; i < units; i++) restore(a, &t, &unit[i]);
}
