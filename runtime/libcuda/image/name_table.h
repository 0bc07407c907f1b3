/* name_table.h: a table of names that stand in a text, each with a number. */
#ifndef KGEN_LIBCUDA_IMAGE_NAME_TABLE_H
#define KGEN_LIBCUDA_IMAGE_NAME_TABLE_H

#include <stdint.h>

#include "base/arena.h"

typedef struct {
  const char *name;
  size_t bytes;
  int value;
} NameSlot;

/* Empty when all is 0 but the arena. */
typedef struct {
  Arena *arena;
  int count, room; /* a power of two, or 0 */
  NameSlot *slot;  /* name NULL: free */
  uint64_t steps;  /* slots that have been looked at */
} NameTable;

/* Gives a name a number in place of what it had. The text must outlive the table. */
void name_table_set(NameTable *names, const char *name, size_t bytes, int value);
/* Returns its number, or -1. */
int name_table_get(NameTable *names, const char *name, size_t bytes);

#endif
