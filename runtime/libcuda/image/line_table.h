/*
 * line_table.h: the tables of machine code that say which line of a text each instruction comes
 * from [DWARF Debugging Information Format 3, section 6.2; versions 2 to 4].
 */
#ifndef KGEN_LIBCUDA_IMAGE_LINE_TABLE_H
#define KGEN_LIBCUDA_IMAGE_LINE_TABLE_H

#include <stdbool.h>

#include "libcuda/image/cubin.h"

/* From this address on, up to the next row's. */
typedef struct {
  uint64_t address; /* in bytes from the function's first instruction */
  const char *file; /* NULL: the table names none */
  int line;         /* 0: none; there the function ends */
  int caller;       /* of an inlined function: the number of the row that calls it; else -1 */
} LineRow;

/* The rows of a function, in the order of their addresses. Of several at one address the last
 * holds. */
typedef struct {
  uint32_t symbol;
  int first, count;
} LineFunction;

typedef struct {
  LineRow *row;
  int rows, row_capacity;
  LineFunction *function; /* by symbol */
  int functions, function_capacity;
} LineTable;

/* Reads the table in that section, in the arena; what is damaged or of another version is left
 * out. */
LineTable line_table_read(Arena *a, Cubin cubin, const char *section);
/* Whether two rows tell the same place; a: may be NULL. */
bool line_row_same(const LineRow *a, const LineRow *b);
/* Returns the row of an instruction, or NULL. */
const LineRow *line_table_find(const LineTable *t, uint32_t symbol, uint64_t address);

#endif
