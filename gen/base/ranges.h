/* SPDX-License-Identifier: MIT */
/* ranges.h: ranges of addresses, sorted by base. A range that is removed keeps its place, with 0
 * bytes, until half of the list is removed ranges: so a list of n ranges takes O(n log n) to free
 * in any order, and to fill if addresses ascend. */
#ifndef KGEN_BASE_RANGES_H
#define KGEN_BASE_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first member of each item. */
typedef struct {
  uint64_t base, bytes; /* 0 bytes: removed */
} AddressRange;

typedef struct {
  size_t size; /* bytes of an item; set it before the first use */
  char *item;  /* from malloc */
  int count;   /* number of items, including removed ones */
  int capacity, removed;
} Ranges;

static inline void *ranges_item(const Ranges *r, int i) { return r->item + (size_t)i * r->size; }

/* The index of the last item that starts at or below the address, or -1. It may be removed. */
int ranges_below(const Ranges *r, uint64_t address);
/* The nearest item that is not removed, from index i on in steps of 1 or -1; NULL: none. */
void *ranges_next(const Ranges *r, int i, int step);
/* The item that contains the address, or NULL. */
void *ranges_find(const Ranges *r, uint64_t address);
/* True if a range of at least one byte can be added: no item overlaps it. */
bool ranges_fits(const Ranges *r, const AddressRange *new);
/* Adds a copy of an item that fits. NULL when out of memory. Moves the other items. */
void *ranges_add(Ranges *r, const void *item);
/* Removes an item. Moves the other items. */
void ranges_remove(Ranges *r, void *item);
void ranges_free(Ranges *r);

#endif
