/* name_table.h: a hash table from names, which are parts of a text, to numbers. */
#ifndef KGEN_LIBCUDA_IMAGE_NAME_TABLE_H
#define KGEN_LIBCUDA_IMAGE_NAME_TABLE_H

#include <stdint.h>

#include "base/arena.h"

typedef struct {
  const char *name;
  size_t bytes;
  int value;
} NameSlot;

/* Empty if everything but the arena is 0. */
typedef struct {
  Arena *arena;
  int count, room; /* a power of two, or 0 */
  NameSlot *slot;  /* name NULL: free */
  uint64_t steps;  /* number of slots inspected */
} NameTable;

/* Sets or replaces the number of a name. The text must outlive the table. */
void name_table_set(NameTable *names, const char *name, size_t bytes, int value);
/* Returns the name's number, or -1. */
int name_table_get(NameTable *names, const char *name, size_t bytes);

#endif
