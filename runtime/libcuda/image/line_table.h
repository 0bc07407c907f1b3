/* SPDX-License-Identifier: MIT */
/* line_table.h: reads the tables in machine code that map each instruction to a line of a text
 * [DWARF Debugging Information Format 3, section 6.2; versions 2 to 4]. */
#ifndef KGEN_LIBCUDA_IMAGE_LINE_TABLE_H
#define KGEN_LIBCUDA_IMAGE_LINE_TABLE_H

#include <stdbool.h>

#include "libcuda/image/cubin.h"

/* A row is valid from its address up to the address of the next row. */
typedef struct {
  uint64_t address; /* bytes from the function's first instruction */
  const char *file; /* NULL: not in the table */
  int line;         /* 0: none; the function ends there */
  int caller;       /* for an inlined function, the index of the calling row; else -1 */
} LineRow;

/* The rows of a function, ordered by address. Of several rows at one address, the last is valid. */
typedef struct {
  uint32_t symbol;
  int first, count;
} LineFunction;

typedef struct {
  LineRow *row;
  int rows, row_capacity;
  LineFunction *function; /* ordered by symbol */
  int functions, function_capacity;
} LineTable;

/* Reads the table in that section into the arena; skips parts that are damaged or of another
 * version. */
LineTable line_table_read(Arena *a, Cubin cubin, const char *section);
/* True if two rows have the same location; a may be NULL. */
bool line_row_same(const LineRow *a, const LineRow *b);
/* Returns the row of an instruction, or NULL. */
const LineRow *line_table_find(const LineTable *t, uint32_t symbol, uint64_t address);

#endif
