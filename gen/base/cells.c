/* SPDX-License-Identifier: MIT */
#include "base/cells.h"

#include <string.h>

#include "base/utf8.h"

Cells cells_new(Arena *a, const CellsColumn *column, int columns) {
  return (Cells){.arena = a, .columns = columns, .column = column};
}

const char **cells_add(Cells *g) {
  const size_t columns = (size_t)g->columns;
  g->cell = arena_grow(g->arena, g->cell, g->rows, &g->capacity, columns * sizeof *g->cell);
  const char **row = g->cell + (size_t)g->rows++ * columns;
  for (size_t c = 0; c < columns; c++) row[c] = "";
  return row;
}

static const char *cell_at(const Cells *g, int row, int c) {
  return row < 0 ? g->column[c].title : g->cell[row * g->columns + c];
}

static void put_cell(Text *out, TextKind kind, const char *s) {
  text_foreign(out, kind, s, strlen(s));
}

static int width_of(const Cells *g, int c) {
  int width = 0;
  for (int row = -1; row < g->rows; row++) {
    const char *s = cell_at(g, row, c);
    const int n = utf8_count(s, s + strlen(s));
    if (n > width) width = n;
  }
  return width;
}

static void print_row(const Cells *g, Text *out, const int *width, int row) {
  const size_t start = out->len;
  for (int c = 0; c < g->columns; c++) {
    if (!g->column[c].title) continue;
    if (out->len > start) text_puts(out, "  ");
    const char *s = cell_at(g, row, c);
    const int pad = width[c] - utf8_count(s, s + strlen(s));
    if (!g->column[c].text) text_printf(out, "%*s", pad, "");
    put_cell(out, TEXT_SCREEN, s);
    if (g->column[c].text) text_printf(out, "%*s", pad, "");
  }
  while (out->len > start && out->s[out->len - 1] == ' ') out->s[--out->len] = '\0';
  text_puts(out, "\n");
}

void cells_print(const Cells *g, Text *out) {
  int *width = ARENA_ARRAY(g->arena, int, (size_t)g->columns);
  for (int c = 0; c < g->columns; c++)
    if (g->column[c].title) width[c] = width_of(g, c);
  for (int row = -1; row < g->rows; row++) print_row(g, out, width, row);
}

/* row -1: the titles, -2: the line below them, which says how columns are aligned. */
static void markdown_row(const Cells *g, Text *out, int row) {
  text_puts(out, "|");
  for (int c = 0; c < g->columns; c++) {
    if (!g->column[c].title) continue;
    text_puts(out, " ");
    if (row == -2)
      text_puts(out, g->column[c].text ? "---" : "--:");
    else
      put_cell(out, TEXT_MARKDOWN, cell_at(g, row, c));
    text_puts(out, " |");
  }
  text_puts(out, "\n");
}

void cells_markdown(const Cells *g, Text *out) {
  markdown_row(g, out, -1);
  markdown_row(g, out, -2);
  for (int row = 0; row < g->rows; row++) markdown_row(g, out, row);
}

void cells_csv(const Cells *g, Text *out) {
  for (int row = -1; row < g->rows; row++) {
    bool first = true;
    for (int c = 0; c < g->columns; c++) {
      if (!g->column[c].name) continue;
      if (!first) text_puts(out, ",");
      put_cell(out, TEXT_CSV, row < 0 ? g->column[c].name : cell_at(g, row, c));
      first = false;
    }
    text_puts(out, "\n");
  }
}
