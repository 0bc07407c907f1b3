/* cells.h: cells in rows and columns, as an aligned table for people and as CSV for programs. */
#ifndef KGEN_BASE_CELLS_H
#define KGEN_BASE_CELLS_H

#include "base/text.h"

typedef struct {
  const char *name;  /* in CSV; NULL: for people only */
  const char *title; /* for people; NULL: in CSV only */
  bool text;         /* aligned left */
} GridColumn;

typedef struct {
  Arena *arena;
  int columns;
  const GridColumn *column;
  int rows, capacity;
  const char **cell; /* row after row */
} Grid;

Grid grid_new(Arena *a, const GridColumn *column, int columns);
/* A new row of empty cells, one per column, for the caller to fill before the next. */
const char **grid_add(Grid *g);
typedef void GridPrinter(const Grid *g, Text *out);
/* A line of titles, then one line per row. */
void grid_print(const Grid *g, Text *out);
/* The same as a table of Markdown. */
void grid_markdown(const Grid *g, Text *out);
/* A line of names, then one line per row. */
void grid_csv(const Grid *g, Text *out);
/* A cell, or other text on one line, of Markdown: nothing in it is markup, nor ends the cell. */
void grid_markdown_cell(Text *out, const char *s);
/* One CSV cell, in quotes if it needs them. */
void grid_csv_cell(Text *out, const char *s);

#endif
