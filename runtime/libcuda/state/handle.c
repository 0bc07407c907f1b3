/* SPDX-License-Identifier: MIT */
#include "libcuda/state/handle.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/die.h"

/* A slot of the table. */
typedef struct {
  const void *at; /* NULL: the slot is free */
  HandleKind kind;
} Place;

/* A hash table with open addressing, at most half full. */
typedef struct {
  Place *place;
  size_t room, count; /* room: a power of two, or 0 */
} Table;

static Table *table(void) {
  static Table all;
  return &all;
}

static size_t home(const Table *t, const void *at) {
  const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
  return (size_t)(((uint64_t)(uintptr_t)at * golden) >> 32) & (t->room - 1);
}

static size_t find(const Table *t, const void *at) {
  size_t i = home(t, at);
  while (t->place[i].at && t->place[i].at != at) i = (i + 1) & (t->room - 1);
  return i;
}

static void grow(Table *t) {
  const Table old = *t;
  t->room = old.room ? old.room * 2 : 64;
  t->place = calloc(t->room, sizeof *t->place);
  if (!t->place) die("out of memory");
  for (size_t i = 0; i < old.room; i++)
    if (old.place[i].at) t->place[find(t, old.place[i].at)] = old.place[i];
  free(old.place);
}

void handle_add(const void *at, HandleKind kind) {
  Table *t = table();
  if (2 * (t->count + 1) > t->room) grow(t);
  t->place[find(t, at)] = (Place){at, kind};
  t->count++;
}

/* Reinserts the entries that follow without a gap, because a collision may have moved them past the
 * removed one. */
void handle_drop(const void *at) {
  Table *t = table();
  size_t i = find(t, at);
  t->place[i] = (Place){0};
  t->count--;
  while (t->place[i = (i + 1) & (t->room - 1)].at) {
    const Place moved = t->place[i];
    t->place[i] = (Place){0};
    t->place[find(t, moved.at)] = moved;
  }
}

bool handle_is(const void *at, HandleKind kind) {
  const Table *t = table();
  return at && t->room && t->place[find(t, at)].kind == kind;
}
