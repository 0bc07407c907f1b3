/* SPDX-License-Identifier: MIT */
#include "emu/run/state/child.h"

#include <stdlib.h>
#include <string.h>

void children_open(Children *all) {
  *all = (Children){.child = NULL};
  pthread_mutex_init(&all->lock, NULL);
}

static bool add(Children *all, const Child *child) {
  if (all->count == all->capacity) {
    const size_t capacity = all->capacity ? all->capacity * 2 : 64;
    Child *more = realloc(all->child, capacity * sizeof *more);
    if (!more) return false;
    all->child = more;
    all->capacity = capacity;
  }
  all->child[all->count++] = *child;
  return true;
}

bool children_prepare(Children *all, const Child *child) {
  pthread_mutex_lock(&all->lock);
  const bool added = add(all, child);
  pthread_mutex_unlock(&all->lock);
  return added;
}

/* A buffer is reused after its child is launched, so the last entry is the valid one. */
static Child *find(Children *all, uint64_t buffer) {
  for (size_t i = all->count; i-- > 0;)
    if (all->child[i].buffer == buffer) return all->child[i].params ? NULL : &all->child[i];
  return NULL;
}

bool children_find(Children *all, uint64_t buffer, Child *out) {
  pthread_mutex_lock(&all->lock);
  const Child *child = find(all, buffer);
  if (child) *out = *child;
  pthread_mutex_unlock(&all->lock);
  return child != NULL;
}

/* Moves the entry to the end: blocks may launch in a different order than they prepare. */
void children_launch(Children *all, uint64_t buffer, uint64_t from, uint8_t *params) {
  pthread_mutex_lock(&all->lock);
  Child *child = find(all, buffer);
  if (child) {
    Child launched = *child;
    launched.from = from;
    launched.params = params;
    const size_t after = all->count - (size_t)(child - all->child) - 1;
    memmove(child, child + 1, after * sizeof *child);
    all->child[all->count - 1] = launched;
  }
  pthread_mutex_unlock(&all->lock);
}

/* --- the result --- */

static EmuChild result_of(const Child *c) {
  EmuChild out = {.kernel = c->kernel->name, .dynamic_shared = c->shared, .params = c->params};
  memcpy(out.grid, c->grid, sizeof out.grid);
  memcpy(out.block, c->block, sizeof out.block);
  return out;
}

/* A stable merge sort, which keeps the launches of one block in order. */
static void sort(Child *child, Child *scratch, size_t count) {
  if (count < 2) return;
  const size_t half = count / 2;
  sort(child, scratch, half);
  sort(child + half, scratch, count - half);
  memcpy(scratch, child, count * sizeof *child);
  for (size_t i = 0, a = 0, b = half; i < count; i++) {
    const bool first = b == count || (a < half && scratch[a].from <= scratch[b].from);
    child[i] = first ? scratch[a++] : scratch[b++];
  }
}

static size_t keep_launched(Children *all) {
  size_t kept = 0;
  for (size_t i = 0; i < all->count; i++)
    if (all->child[i].params) all->child[kept++] = all->child[i];
  return kept;
}

bool children_take(Children *all, EmuResult *result) {
  const size_t count = keep_launched(all);
  Child *scratch = malloc((count + 1) * sizeof *scratch);
  result->child = calloc(count + 1, sizeof *result->child);
  const bool ok = scratch && result->child;
  if (ok) sort(all->child, scratch, count);
  for (size_t i = 0; ok && i < count; i++) result->child[i] = result_of(&all->child[i]);
  for (size_t i = 0; !ok && i < count; i++) free(all->child[i].params);
  if (ok) result->children = (int)count;
  free(scratch);
  free(all->child);
  pthread_mutex_destroy(&all->lock);
  return ok;
}
