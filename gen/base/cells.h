/* SPDX-License-Identifier: MIT */
/* cells.h: cells in rows and columns, as an aligned table for people and as CSV for programs. */
#ifndef KGEN_BASE_CELLS_H
#define KGEN_BASE_CELLS_H

#include "base/text.h"

typedef struct {
  const char *name;  /* column name in CSV; NULL: not in CSV */
  const char *title; /* column title in tables; NULL: only in CSV */
  bool text;         /* aligned left */
} CellsColumn;

typedef struct {
  Arena *arena;
  int columns;
  const CellsColumn *column;
  int rows, capacity;
  const char **cell; /* row after row */
} Cells;

Cells cells_new(Arena *a, const CellsColumn *column, int columns);
/* A new row of empty cells, one per column, for the caller to fill before the next. */
const char **cells_add(Cells *c);
typedef void CellsPrinter(const Cells *c, Text *out);
/* A line of titles, then one line per row. */
void cells_print(const Cells *c, Text *out);
/* Like cells_print(), as a Markdown table. */
void cells_markdown(const Cells *c, Text *out);
/* A line of names, then one line per row. */
void cells_csv(const Cells *c, Text *out);

#endif
