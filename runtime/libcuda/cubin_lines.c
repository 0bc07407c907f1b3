#include "libcuda/cubin_lines.h"

#include <string.h>

#include "base/span.h"
#include "base/text.h"
#include "libcuda/line_table.h"

/* The most calls of inlined functions that are told of an instruction. */
enum { MAX_DEPTH = 32 };

/* --- the source line of each line of PTX --- */

typedef struct {
  LineTable source, ptx;
} Tables;

/* One row for each line, from 1; NULL: none is known. */
typedef struct {
  const LineRow **of;
  int lines;
} Places;

/* The table of a module of one unit names no section. */
static bool is_of(const LineRow *row, const PtxUnit *unit) {
  return !row->file || strcmp(row->file, unit->section) == 0;
}

static void place_function(const Tables *t, const LineFunction *f, const PtxUnit *unit, Places *p) {
  for (int i = f->first; i < f->first + f->count - 1; i++) {
    const LineRow *row = &t->ptx.row[i];
    const bool holds = row[1].address > row->address && row->line && row->line <= p->lines;
    if (!holds || p->of[row->line] || !is_of(row, unit)) continue;
    const LineRow *source = line_table_find(&t->source, f->symbol, row->address);
    if (source && source->line && source->file) p->of[row->line] = source;
  }
}

static Places places_of(Arena *a, const Tables *t, const PtxUnit *unit) {
  Places p = {.lines = text_lines(unit->ptx, unit->bytes)};
  p.of = ARENA_ARRAY(a, const LineRow *, (size_t)p.lines + 1);
  for (int i = 0; i < t->ptx.functions; i++) place_function(t, &t->ptx.function[i], unit, &p);
  return p;
}

static bool is_blank(Span line) { return span_skip_spaces(line).len == 0; }

/* --- inline assembly of several lines ---
 *
 * LLVM counts a source line up for each line of inline assembly, but for those that begin with a
 * predicate. Triton's loads and atomics are such: they first set their destinations, in a line
 * each. What follows without a .loc of its own inherits the last one. */

/* Movs in sequence, a .loc between any two, and the blank lines since. */
typedef struct {
  Span to[8];
  int movs, blank, first; /* the line of the first */
} Movs;

/* What rows behind a load are, and should be, and the blank lines since. */
typedef struct {
  const LineRow *was, *is;
  int blank;
  bool begun;
} Heirs;

/* The register that a mov sets; s NULL: the line is no mov. */
static Span mov_target(Span line) {
  const Span text = span_skip_spaces(line);
  if (text.len < 4 || strncmp(text.s, "mov.", 4) != 0) return (Span){NULL, 0};
  const char *at = memchr(text.s, '%', text.len), *end = memchr(text.s, ',', text.len);
  return at && end && at < end ? (Span){at, (size_t)(end - at)} : (Span){NULL, 0};
}

/* Whether a load or an atomic has the register among its destinations, which stand before its
 * address. */
static bool sets(Span line, Span reg) {
  const char *end = memchr(line.s, '[', line.len);
  for (const char *c = line.s; end && c + reg.len < end; c++)
    if (memcmp(c, reg.s, reg.len) == 0 && strchr(", }\t", c[reg.len])) return true;
  return false;
}

static bool is_access(Span line) {
  Span text = span_skip_spaces(line);
  const char *past = text.len && *text.s == '@' ? memchr(text.s, ' ', text.len) : text.s;
  if (!past) return false;
  text = span_skip_spaces((Span){past, text.len - (size_t)(past - text.s)});
  return text.len > 5 && (strncmp(text.s, "ld.", 3) == 0 || strncmp(text.s, "atom.", 5) == 0);
}

static void note_mov(Movs *m, Span to, int line) {
  enum { MOST = sizeof m->to / sizeof *m->to };
  const bool more = m->movs && m->blank == 1 && m->movs < MOST;
  if (!more) *m = (Movs){.first = line};
  m->to[m->movs++] = to;
  m->blank = 0;
}

static bool follows_movs(const Movs *m, Span line) {
  bool all = m->movs > 0 && m->blank <= 1 && is_access(line);
  for (int i = 0; all && i < m->movs; i++) all = sets(line, m->to[i]);
  return all;
}

static bool is_same(const LineRow *a, const LineRow *b) {
  return a && a->line == b->line && a->caller == b->caller && strcmp(a->file, b->file) == 0;
}

/* The row counts lines of the assembly; that of the first mov, if the machine code still has one,
 * says so, too. */
static Heirs count_back(Arena *a, Places *p, const Movs *m, int line) {
  const LineRow *row = p->of[line], *first = p->of[m->first];
  const int counted = m->movs - 1 + m->blank;
  if (!counted || !row || row->line <= counted || (first && first->line + counted != row->line))
    return (Heirs){.was = NULL};
  LineRow *own = ARENA_NEW(a, LineRow);
  *own = *row;
  own->line -= counted;
  p->of[line] = own;
  return (Heirs){.was = row, .is = own};
}

/* Where the assembly ends its last line and a comment are blank; a .loc would be, too. Further
 * instructions follow without a blank line. */
static void inherit(Places *p, Heirs *h, int line) {
  enum { END = 2 };
  const LineRow *row = p->of[line];
  if (h->blank != (h->begun ? 0 : END))
    h->was = NULL;
  else if (row && is_same(row, h->was))
    p->of[line] = h->is;
  h->begun = true;
  h->blank = 0;
}

static void undo_assembly(Arena *a, Places *p, const char *at) {
  Movs movs = {.movs = 0};
  Heirs heirs = {.was = NULL};
  for (int line = 1; *at && line <= p->lines; line++) {
    const Span text = span_line(&at), to = mov_target(text);
    if (is_blank(text)) {
      movs.blank++;
      heirs.blank++;
      continue;
    }
    if (heirs.was) inherit(p, &heirs, line);
    if (follows_movs(&movs, text)) heirs = count_back(a, p, &movs, line);
    if (to.s)
      note_mov(&movs, to, line);
    else
      movs.movs = 0;
  }
}

/* --- its text --- */

typedef struct {
  Arena *arena;
  const Tables *tables;
  const char **file;
  int files, capacity;
  Text out;
} Writer;

/* From 1. */
static int number_of(Writer *w, const char *file) {
  for (int i = 0; i < w->files; i++)
    if (strcmp(w->file[i], file) == 0) return i + 1;
  w->file = arena_grow(w->arena, w->file, w->files, &w->capacity, sizeof *w->file);
  w->file[w->files++] = file;
  return w->files;
}

/* The calls that lead to a row, the outermost first. */
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

/* Of the instructions from a line on to the next blank one: a .loc stood where a line is blank. */
static const LineRow *row_from(const Places *p, int line, const char *at) {
  for (int depth = 1; *at && line <= p->lines && depth > 0; line++) {
    const Span text = span_line(&at);
    if (is_blank(text)) return NULL;
    if (p->of[line]) return p->of[line];
    depth = depth_after(text, depth);
  }
  return NULL;
}

static void put_lines(Writer *w, const Places *p, const char *at) {
  const LineRow *now = NULL;
  for (int line = 1, depth = 0; *at; line++) {
    const Span text = span_line(&at);
    const bool blank = is_blank(text);
    const LineRow *row = depth <= 0 ? NULL : blank ? row_from(p, line + 1, at) : p->of[line];
    if (depth <= 0) now = NULL;
    if (row && !is_same(now, row)) put_loc(w, now = row, 0);
    text_add(&w->out, text.s, text.len);
    text_puts(&w->out, "\n");
    depth = depth_after(text, depth);
  }
}

/* A backslash stands before quotes and backslashes, and for a line break \n, as nvcc has it. */
static void put_file(Writer *w, int number) {
  text_printf(&w->out, ".file %d \"", number);
  for (const char *c = w->file[number - 1]; *c; c++)
    text_printf(&w->out, strchr("\"\\\n", *c) ? "\\%c" : "%c", *c == '\n' ? 'n' : *c);
  text_puts(&w->out, "\"\n");
}

static void restore(Arena *a, const Tables *t, PtxUnit *unit) {
  static const char names[] = ".section .debug_str\n{\n$L__inlined:\n.b8 0\n}\n";
  Places p = places_of(a, t, unit);
  undo_assembly(a, &p, unit->ptx);
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
