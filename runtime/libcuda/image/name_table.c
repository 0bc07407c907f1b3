#include "libcuda/image/name_table.h"

#include <string.h>

#include "base/hash.h"

/* Returns the slot of a name, or the free slot for it. */
static NameSlot *slot_of(NameTable *names, const char *name, size_t bytes) {
  const uint64_t mask = (uint64_t)names->room - 1;
  for (uint64_t i = hash_bytes(HASH_START, name, bytes);; i++) {
    NameSlot *slot = &names->slot[i & mask];
    names->steps++;
    if (!slot->name || (slot->bytes == bytes && memcmp(slot->name, name, bytes) == 0)) return slot;
  }
}

/* Keeps at most half of the slots in use, so that probe sequences stay short. */
static void grow(NameTable *names) {
  enum { FIRST = 64 };
  const NameTable old = *names;
  names->room = old.room ? old.room * 2 : FIRST;
  names->slot = ARENA_ARRAY(names->arena, NameSlot, (size_t)names->room);
  for (int i = 0; i < old.room; i++) {
    const NameSlot *slot = &old.slot[i];
    if (slot->name) *slot_of(names, slot->name, slot->bytes) = *slot;
  }
}

void name_table_set(NameTable *names, const char *name, size_t bytes, int value) {
  if (names->count * 2 >= names->room) grow(names);
  NameSlot *slot = slot_of(names, name, bytes);
  if (!slot->name) names->count++;
  *slot = (NameSlot){name, bytes, value};
}

int name_table_get(NameTable *names, const char *name, size_t bytes) {
  const NameSlot *slot = names->room ? slot_of(names, name, bytes) : NULL;
  return slot && slot->name ? slot->value : -1;
}
