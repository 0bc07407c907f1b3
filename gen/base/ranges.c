/* SPDX-License-Identifier: MIT */
#include "base/ranges.h"

#include <stdlib.h>
#include <string.h>

static AddressRange *at(const Ranges *r, int i) { return ranges_item(r, i); }

static bool is_removed(const Ranges *r, int i) {
  return i >= 0 && i < r->count && at(r, i)->bytes == 0;
}

int ranges_below(const Ranges *r, uint64_t address) {
  int low = 0, high = r->count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (at(r, middle)->base <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low - 1;
}

void *ranges_next(const Ranges *r, int i, int step) {
  while (is_removed(r, i)) i += step;
  return i < 0 || i >= r->count ? NULL : ranges_item(r, i);
}

/* ranges_add() leaves no removed item within another item's range, so that the last item below an
 * address is the only one that can contain it. */
void *ranges_find(const Ranges *r, uint64_t address) {
  const int i = ranges_below(r, address);
  if (i < 0 || address - at(r, i)->base >= at(r, i)->bytes) return NULL;
  return ranges_item(r, i);
}

bool ranges_fits(const Ranges *r, const AddressRange *new) {
  const int i = ranges_below(r, new->base);
  const AddressRange *after = ranges_next(r, i + 1, 1);
  if (i >= 0 && new->base - at(r, i)->base < at(r, i)->bytes) return false;
  return !after || after->base - new->base >= new->bytes;
}

/* Drops the items from..to-1. */
static void drop(Ranges *r, int from, int to) {
  memmove(ranges_item(r, from), ranges_item(r, to), (size_t)(r->count - to) * r->size);
  r->count -= to - from;
}

static bool make_room(Ranges *r, int i) {
  enum { FIRST = 16 };
  if (r->count == r->capacity) {
    const int capacity = r->capacity ? r->capacity * 2 : FIRST;
    char *item = realloc(r->item, (size_t)capacity * r->size);
    if (!item) return false;
    r->item = item;
    r->capacity = capacity;
  }
  memmove(ranges_item(r, i + 1), ranges_item(r, i), (size_t)(r->count++ - i) * r->size);
  return true;
}

void *ranges_add(Ranges *r, const void *item) {
  const AddressRange *new = item;
  int i = ranges_below(r, new->base) + 1;
  if (is_removed(r, i - 1)) i--;
  if (is_removed(r, i))
    r->removed--;
  else if (!make_room(r, i))
    return NULL;
  memcpy(ranges_item(r, i), item, r->size);
  int end = i + 1;
  while (end < r->count && at(r, end)->base - new->base < new->bytes) end++;
  if (end > i + 1) drop(r, i + 1, end);
  r->removed -= end - i - 1;
  return ranges_item(r, i);
}

void ranges_remove(Ranges *r, void *item) {
  enum { FEW = 64 };
  ((AddressRange *)item)->bytes = 0;
  r->removed++;
  if (r->removed * 2 < r->count + FEW) return;
  int kept = 0;
  for (int i = 0; i < r->count; i++) {
    if (is_removed(r, i)) continue;
    if (kept < i) memcpy(ranges_item(r, kept), ranges_item(r, i), r->size);
    kept++;
  }
  r->count = kept;
  r->removed = 0;
}

void ranges_free(Ranges *r) {
  free(r->item);
  *r = (Ranges){.size = r->size};
}
