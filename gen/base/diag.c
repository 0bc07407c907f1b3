/* SPDX-License-Identifier: MIT */
#include "base/diag.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"

typedef struct {
  DiagEntry is;
  int order;
} Entry;

/* The errors of one file, in the order recorded. */
typedef struct {
  const char *path; /* "" without a file */
  int count, more;
  Entry entry[DIAG_MAX_PER_FILE];
} File;

struct Diag {
  Arena *arena;
  int count, met;
  int files, capacity;
  File **file;
  DiagEntry *last; /* entry to which a hint is attached; NULL if the last error was dropped */
  DiagEntry **all; /* in the order in which they were recorded */
  int records, room;
  const Source *diverted;
  Diag *to; /* destination of diverted errors */
};

Diag *diag_new(Arena *a) {
  Diag *d = ARENA_NEW(a, Diag);
  d->arena = a;
  return d;
}

static File *file_add(Diag *d, const char *path) {
  d->file = arena_grow(d->arena, d->file, d->files, &d->capacity, sizeof(File *));
  File *f = ARENA_NEW(d->arena, File);
  f->path = path;
  return d->file[d->files++] = f;
}

/* Files are identified by path, not by Source, because a kernel template that several specs name is
 * read once per spec. The newest is searched first, because errors of one file come together. */
static File *file_of(Diag *d, Loc loc) {
  const char *path = loc.source ? loc.source->path : "";
  for (int i = d->files - 1; i >= 0; i--)
    if (strcmp(d->file[i]->path, path) == 0) return d->file[i];
  return file_add(d, path);
}

static bool known(const File *f, Loc loc, const char *text) {
  for (int i = 0; i < f->count; i++) {
    const DiagEntry *e = &f->entry[i].is;
    if (e->loc.line == loc.line && e->loc.col == loc.col && strcmp(e->text, text) == 0) return true;
  }
  return false;
}

void diag_divert(Diag *d, const Source *from, Diag *to) {
  d->diverted = from;
  d->to = to;
}

static void keep(Diag *d, DiagEntry *e) {
  d->all = arena_grow(d->arena, d->all, d->records, &d->room, sizeof(DiagEntry *));
  d->all[d->records++] = e;
}

/* Returns where its hint goes, NULL if it was recorded before or is one too many. */
static DiagEntry *record(Diag *d, Loc loc, const char *text) {
  File *f = file_of(d, loc);
  if (known(f, loc, text)) return NULL;
  d->count++;
  if (f->count == DIAG_MAX_PER_FILE) {
    f->more++;
    return NULL;
  }
  Entry *e = &f->entry[f->count];
  *e = (Entry){.is = {.loc = loc, .text = text}, .order = f->count++};
  keep(d, &e->is);
  return &e->is;
}

void diag_error(Diag *d, Loc loc, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  const char *text = arena_vprintf(d->arena, fmt, args);
  va_end(args);
  const bool away = d->diverted && d->diverted == loc.source;
  d->met++;
  d->last = record(away ? d->to : d, loc, text);
}

void diag_hint(Diag *d, const char *fmt, ...) {
  if (!d->last) return;
  va_list args;
  va_start(args, fmt);
  d->last->hint = arena_vprintf(d->arena, fmt, args);
  va_end(args);
}

void diag_say(Diag *d, DiagKind kind, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  diag_error(d, (Loc){0}, "%s", arena_vprintf(d->arena, fmt, args));
  va_end(args);
  if (d->last) d->last->kind = kind;
}

void diag_at(Diag *d, DiagKind kind, const char *path, int line, const char *fmt, ...) {
  Source *source = ARENA_NEW(d->arena, Source);
  *source = (Source){arena_strndup(d->arena, path, strlen(path)), "", 0};
  va_list args;
  va_start(args, fmt);
  diag_error(d, (Loc){source, line, 0, 0}, "%s", arena_vprintf(d->arena, fmt, args));
  va_end(args);
  if (d->last) d->last->kind = kind;
}

/* Adds a record that belongs to no file, because it is not an error. */
static void add(Diag *d, DiagSeverity severity, const char *text) {
  d->last = ARENA_NEW(d->arena, DiagEntry);
  *d->last = (DiagEntry){.severity = severity, .text = text};
  keep(d, d->last);
}

void diag_note(Diag *d, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  add(d, DIAG_NOTE, arena_vprintf(d->arena, fmt, args));
  va_end(args);
}

void diag_output(Diag *d, const char *text, size_t n) {
  if (n) add(d, DIAG_OUTPUT, arena_strndup(d->arena, text, n));
}

/* The number that ends at *end, which moves to its first digit; false if there is none. */
static bool read_number(const char *s, const char **end, int *out) {
  const char *at = *end;
  while (at > s && at[-1] >= '0' && at[-1] <= '9') at--;
  if (at == *end) return false;
  *out = atoi(at);
  *end = at;
  return true;
}

/* FILE:LINE: error: TEXT of gcc, FILE(LINE): error: TEXT of NVIDIA's compilers. */
static bool add_compiler_error(Diag *d, const char *s) {
  const char *mark = strstr(s, "error: "), *end = mark;
  int line;
  while (end && end > s && end[-1] != ':') end--; /* before "catastrophic " */
  if (!mark || end - s < 4) return false;
  end -= end[-2] == ')' ? 2 : 1;
  if (!read_number(s, &end, &line) || end - s < 2 || !strchr(":(", end[-1])) return false;
  diag_at(d, DIAG_REJECTED, arena_strndup(d->arena, s, (size_t)(end - 1 - s)), line, "%s",
          mark + strlen("error: "));
  if (d->last) d->last->shown = true;
  return true;
}

void diag_log(Diag *d, const char *log) {
  diag_output(d, log, strlen(log));
  for (const char *at = log; *at;) {
    const size_t n = strcspn(at, "\n");
    add_compiler_error(d, arena_strndup(d->arena, at, n));
    at += n + (at[n] == '\n');
  }
}

void diag_more(Diag *d, const char *lines) {
  if (d->last)
    d->last->more = d->last->more ? arena_printf(d->arena, "%s%s", d->last->more, lines)
                                  : arena_strndup(d->arena, lines, strlen(lines));
}

int diag_count(const Diag *d) { return d->count; }

int diag_met(const Diag *d) { return d->met; }

const char *diag_first(const Diag *d) { return d->count ? d->file[0]->entry[0].is.text : NULL; }

/* --- printing --- */

typedef struct {
  Text *out;
  bool color;
} Printer;

static const char BOLD[] = "\033[1m", RED[] = "\033[1;31m", GREEN[] = "\033[1;32m",
                  RESET[] = "\033[0m";

static void paint(Printer *p, const char *escape) {
  if (p->color) text_puts(p->out, escape);
}

/* Characters shown of a longer line, and how many of them before the caret. */
enum { WINDOW = 90, LEFT = 60 };

/* The part of a line that is shown. */
typedef struct {
  const char *begin, *end;
  int skipped; /* characters before begin */
  bool cut;    /* text was cut off after end */
} Window;

static Window window_of(const char *line, const char *end, int col) {
  Window w = {line, end, 0, false};
  if (utf8_count(line, end) <= WINDOW) return w;
  if (col > LEFT) w.skipped = col - LEFT;
  w.begin = utf8_skip(line, end, w.skipped);
  w.end = utf8_skip(w.begin, end, WINDOW);
  w.cut = w.end < end;
  return w;
}

/* Spaces as wide as the text; tabs stay tabs, so that both lines reach the same stop. */
static void put_blank(Text *out, const char *s, const char *end, int count) {
  while (count-- > 0) {
    int bytes;
    const uint32_t c = s < end ? utf8_decode(s, end, &bytes) : ' ';
    if (c == '\t')
      text_puts(out, "\t");
    else
      text_add(out, "  ", (size_t)utf8_width(c));
    if (s < end) s += bytes;
  }
}

/* The number of cells that the underlined characters take within the line, including the caret. */
static int underline_cells(const char *s, const char *end, int count) {
  int cells = 0;
  for (int bytes; count > 0 && s < end; count--, s += bytes)
    cells += utf8_width(utf8_decode(s, end, &bytes));
  return cells > 1 ? cells : 1;
}

static void print_line(Printer *p, const char *line, const char *end, Loc loc) {
  const Window w = window_of(line, end, loc.col);
  const char *dots = w.skipped ? "..." : "";
  const int before = loc.col - 1 - w.skipped;
  const char *caret = utf8_skip(w.begin, w.end, before);
  text_printf(p->out, "  %s", dots);
  text_foreign(p->out, TEXT_SCREEN, w.begin, (size_t)(w.end - w.begin));
  text_printf(p->out, "%s\n  %s", w.cut ? "..." : "", w.skipped ? "   " : "");
  put_blank(p->out, w.begin, w.end, before);
  paint(p, GREEN);
  text_puts(p->out, "^");
  for (int i = underline_cells(caret, w.end, loc.width); i > 1; i--) text_puts(p->out, "~");
  paint(p, RESET);
  text_puts(p->out, "\n");
}

/* "path:line:col: error: ", with the parts that are known. */
static void print_place(Printer *p, Loc loc) {
  paint(p, BOLD);
  const char *path = loc.source ? loc.source->path : "kgen";
  text_foreign(p->out, TEXT_SCREEN, path, strlen(path));
  if (loc.source && loc.line > 0) text_printf(p->out, ":%d", loc.line);
  if (loc.source && loc.line > 0 && loc.col > 0) text_printf(p->out, ":%d", loc.col);
  text_puts(p->out, ": ");
  paint(p, RED);
  text_puts(p->out, "error: ");
  paint(p, RESET);
}

static void print_entry(Printer *p, const DiagEntry *e, const char *line) {
  print_place(p, e->loc);
  paint(p, BOLD);
  text_foreign(p->out, TEXT_SCREEN, e->text, strlen(e->text));
  paint(p, RESET);
  text_puts(p->out, "\n");
  if (line)
    print_line(p, line, utf8_line_end(line, e->loc.source->text + e->loc.source->len), e->loc);
  if (!e->hint) return;
  text_puts(p->out, "  hint: ");
  text_foreign(p->out, TEXT_SCREEN, e->hint, strlen(e->hint));
  text_puts(p->out, "\n");
}

static int entry_order(const void *a, const void *b) {
  const Entry *x = a, *y = b;
  const Loc at = x->is.loc, other = y->is.loc;
  if (at.line != other.line) return at.line < other.line ? -1 : 1;
  if (at.col != other.col) return at.col < other.col ? -1 : 1;
  return x->order - y->order;
}

static void sort_entries(const File *f, Entry sorted[DIAG_MAX_PER_FILE]) {
  memcpy(sorted, f->entry, sizeof f->entry);
  qsort(sorted, (size_t)f->count, sizeof(Entry), entry_order);
}

const DiagEntry *diag_list(const Diag *d, Arena *a, int *count) {
  DiagEntry *list = ARENA_ARRAY(a, DiagEntry, (size_t)d->count + 1);
  *count = 0;
  for (int i = 0; i < d->files; i++) {
    Entry sorted[DIAG_MAX_PER_FILE];
    sort_entries(d->file[i], sorted);
    for (int j = 0; j < d->file[i]->count; j++) list[(*count)++] = sorted[j].is;
  }
  return list;
}

/* Walks the text once, because the entries are in its order. */
static void print_file(Printer *p, const File *f) {
  Entry sorted[DIAG_MAX_PER_FILE];
  sort_entries(f, sorted);
  const Source *walked = NULL;
  const char *line = NULL;
  int number = 1;
  for (int i = 0; i < f->count; i++) {
    const Loc loc = sorted[i].is.loc;
    if (loc.source && loc.source != walked) {
      walked = loc.source;
      line = walked->text;
      number = 1;
    }
    for (; line && number < loc.line; number++)
      line = utf8_next_line(line, walked->text + walked->len);
    print_entry(p, &sorted[i].is, loc.line > 0 ? line : NULL);
  }
  if (f->more == 0) return;
  print_place(p, (Loc){sorted[0].is.loc.source, 0, 0, 0});
  text_printf(p->out, "%d more errors\n", f->more);
}

void diag_print(const Diag *d, Text *out, bool color) {
  Printer p = {out, color};
  for (int i = 0; i < d->files; i++) print_file(&p, d->file[i]);
}

static const char *line_of(Loc loc) {
  const char *line = loc.source->text, *end = line + loc.source->len;
  for (int i = 1; i < loc.line; i++) line = utf8_next_line(line, end);
  return line;
}

/* An error in a file as diag_print() has it, others after "kgen: ". */
static void write_record(Printer *p, const DiagEntry *e) {
  const bool in_file = e->loc.source && !e->shown;
  if (e->severity == DIAG_OUTPUT)
    text_puts(p->out, e->text);
  else if (in_file)
    print_entry(p, e, e->loc.line > 0 && e->loc.col > 0 ? line_of(e->loc) : NULL);
  else if (!e->shown)
    text_printf(p->out, "kgen: %s\n", e->text);
  if (e->more) text_puts(p->out, e->more);
  if (e->hint && !in_file) text_printf(p->out, "kgen: hint: %s\n", e->hint);
}

void diag_write(const Diag *d, Text *out) {
  Printer p = {out, false};
  for (int i = 0; i < d->records; i++) write_record(&p, d->all[i]);
}

/* --- near-misses --- */

enum { NAME_MAX_LENGTH = 64 };

static bool same_letter(char a, char b) {
  const bool letters = ((a | 32) >= 'a' && (a | 32) <= 'z');
  return a == b || (letters && (a | 32) == (b | 32));
}

/* The edit distance from a to b (insert, delete, replace, swap neighbours; case is ignored); a
 * large number for names too long to match. Optimal string alignment, see Damerau 1964. */
static int distance(const char *a, const char *b) {
  const int n = (int)strlen(a), m = (int)strlen(b);
  if (n > NAME_MAX_LENGTH || m > NAME_MAX_LENGTH) return INT32_MAX;
  int d[3][NAME_MAX_LENGTH + 1];
  for (int j = 0; j <= m; j++) d[0][j] = j;
  for (int i = 1; i <= n; i++) {
    int *row = d[i % 3], *above = d[(i + 2) % 3], *twice = d[(i + 1) % 3];
    row[0] = i;
    for (int j = 1; j <= m; j++) {
      row[j] = number_least(above[j - 1] + !same_letter(a[i - 1], b[j - 1]),
                            1 + number_least(above[j], row[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = number_least(row[j], twice[j - 2] + 1);
    }
  }
  return d[n % 3][m];
}

const char *diag_nearest(const char *word, const char *const *names, int count) {
  const size_t length = strlen(word);
  const int limit = length == 2 ? 1 : length > NAME_MAX_LENGTH ? 0 : (int)length / 3;
  const char *best = NULL;
  int least = limit + 1;
  for (int i = 0; i < count; i++) {
    const int edits = distance(word, names[i]);
    if (edits < least) {
      least = edits;
      best = names[i];
    }
  }
  return best;
}
