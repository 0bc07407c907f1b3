/* SPDX-License-Identifier: MIT */
/* Lists of ranges: random additions and removals against a plain list, and a size at which moving
 * the rest of the list at each removal would take minutes. */
#include "base/ranges.h"

#include "check.h"

typedef struct {
  uint64_t base, bytes;
  char name[88];
} Item;

static uint32_t next(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33);
}

/* --- a plain list --- */

enum { SPACE = 512 };

static int owner[SPACE]; /* number of the range of each address; 0: none */

static bool is_free(uint64_t base, uint64_t bytes) {
  for (uint64_t i = base; i < base + bytes; i++)
    if (owner[i]) return false;
  return true;
}

static void check_all(const Ranges *r, int step) {
  for (uint64_t i = 0; i < SPACE; i++) {
    const Item *found = ranges_find(r, i);
    CHECK(found ? owner[i] == (int)found->name[0] : !owner[i], "step %d: address %d", step, (int)i);
  }
  const Item *last = NULL;
  for (int i = 0; i < r->count; i++) {
    const Item *item = ranges_item(r, i);
    CHECK(!last || last->base < item->base, "step %d: not sorted at %d", step, i);
    last = item;
  }
}

static void check_random(void) {
  Ranges r = {.size = sizeof(Item)};
  uint64_t state = 39;
  memset(owner, 0, sizeof owner);
  for (int step = 0; step < 4000; step++) {
    const uint64_t base = next(&state) % SPACE;
    Item *found = ranges_find(&r, base);
    if (found && next(&state) % 2) {
      for (uint64_t i = found->base; i < found->base + found->bytes; i++) owner[i] = 0;
      ranges_remove(&r, found);
    }
    Item new = {.base = base, .bytes = 1 + next(&state) % 40, .name = {(char)(1 + step % 100)}};
    if (new.base + new.bytes > SPACE) new.bytes = SPACE - new.base;
    const AddressRange range = {new.base, new.bytes};
    CHECK(ranges_fits(&r, &range) == is_free(new.base, new.bytes), "step %d: fits", step);
    if (is_free(new.base, new.bytes)) {
      CHECK(ranges_add(&r, &new) != NULL, "step %d", step);
      for (uint64_t i = new.base; i < new.base + new.bytes; i++) owner[i] = new.name[0];
    }
    if (step % 50 == 0) check_all(&r, step);
  }
  check_all(&r, -1);
  CHECK(r.removed * 2 <= r.count + 64, "%d of %d are removed", r.removed, r.count);
  ranges_free(&r);
}

static void check_neighbours(void) {
  Ranges r = {.size = sizeof(Item)};
  for (uint64_t i = 0; i < 8; i++) ranges_add(&r, &(Item){.base = 10 * i, .bytes = 5});
  for (uint64_t i = 2; i < 6; i++) ranges_remove(&r, ranges_find(&r, 10 * i));
  const Item *below = ranges_next(&r, ranges_below(&r, 52), -1);
  const Item *above = ranges_next(&r, ranges_below(&r, 22) + 1, 1);
  CHECK(below && below->base == 10, "%d", below ? (int)below->base : -1);
  CHECK(above && above->base == 60, "%d", above ? (int)above->base : -1);
  CHECK(!ranges_next(&r, -1, -1) && !ranges_next(&r, r.count, 1), "beyond the ends");
  ranges_free(&r);
}

/* Half of the ranges go, in an order that is not theirs: moving the rest each time would copy
 * 3 TB. */
static void check_size(void) {
  enum { MANY = 400000, PRIME = 200003 };
  Ranges r = {.size = sizeof(Item)};
  for (uint64_t i = 0; i < MANY; i++) ranges_add(&r, &(Item){.base = 16 * i, .bytes = 16});
  for (uint64_t i = 0; i < MANY; i += 2)
    ranges_remove(&r, ranges_find(&r, 16 * (i * PRIME % MANY & ~UINT64_C(1))));
  int left = 0;
  for (int i = 0; i < r.count; i++) left += ((const Item *)ranges_item(&r, i))->bytes > 0;
  CHECK(left == MANY / 2 && !ranges_find(&r, 0) && ranges_find(&r, 16), "%d are left", left);
  for (uint64_t i = 0; i < MANY; i += 2) ranges_add(&r, &(Item){.base = 16 * i, .bytes = 16});
  CHECK(r.count == MANY && r.removed == 0, "%d, %d removed", r.count, r.removed);
  ranges_free(&r);
}

int main(void) {
  check_random();
  check_neighbours();
  check_size();
  return check_report("ranges");
}
