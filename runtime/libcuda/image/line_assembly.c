/* SPDX-License-Identifier: MIT */
#include "libcuda/image/line_assembly.h"

#include <string.h>

#include "base/span.h"

/* A sequence of movs with a .loc between any two, and the number of blank lines after it. */
typedef struct {
  Span to[8];
  int movs, blank, first; /* first: line of the first mov */
} Movs;

/* The row that instructions after a load have, the row that they should have, and the number of
 * blank lines. */
typedef struct {
  const LineRow *was, *is;
  int blank;
  bool begun;
} InheritedLine;

/* The register that a mov writes; s is NULL if the line is no mov. */
static Span mov_target(Span line) {
  const Span text = span_skip_spaces(line);
  if (text.len < 4 || strncmp(text.s, "mov.", 4) != 0) return (Span){NULL, 0};
  const char *at = memchr(text.s, '%', text.len), *end = memchr(text.s, ',', text.len);
  return at && end && at < end ? (Span){at, (size_t)(end - at)} : (Span){NULL, 0};
}

/* True if a load or an atomic has the register among its destinations, which precede its
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

/* Corrects the row of a load, whose line number counts the lines of the assembly. If the machine
 * code still has the first mov, its row must agree with the correction. */
static InheritedLine count_back(Arena *a, LinePlaces *p, const Movs *m, int line) {
  const LineRow *row = p->of[line], *first = p->of[m->first];
  const int counted = m->movs - 1 + m->blank;
  if (!counted || !row || row->line <= counted || (first && first->line + counted != row->line))
    return (InheritedLine){.was = NULL};
  LineRow *own = ARENA_NEW(a, LineRow);
  *own = *row;
  own->line -= counted;
  p->of[line] = own;
  return (InheritedLine){.was = row, .is = own};
}

/* Corrects the row of an instruction after the load, if it has inherited the load's row. At the end
 * of the assembly, its last line and a comment are blank, like a .loc would be; further
 * instructions follow without a blank line. */
static void inherit(LinePlaces *p, InheritedLine *h, int line) {
  enum { END = 2 };
  const LineRow *row = p->of[line];
  if (h->blank != (h->begun ? 0 : END))
    h->was = NULL;
  else if (row && line_row_same(row, h->was))
    p->of[line] = h->is;
  h->begun = true;
  h->blank = 0;
}

void line_assembly_undo(Arena *a, LinePlaces *p, const char *at) {
  Movs movs = {.movs = 0};
  InheritedLine heirs = {.was = NULL};
  for (int line = 1; *at && line <= p->lines; line++) {
    const Span text = span_line(&at), to = mov_target(text);
    if (span_is_blank(text)) {
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
