/* SPDX-License-Identifier: MIT */
/* child.h: launches by kernels (dynamic parallelism). They are recorded while the parent runs and
 * returned in its result; the caller of the parent's launch runs them. */
#ifndef KGEN_EMU_RUN_STATE_CHILD_H
#define KGEN_EMU_RUN_STATE_CHILD_H

#include <pthread.h>

#include "emu/ptx/ast.h"

/* A launch that a device thread prepares or has made. */
typedef struct {
  uint64_t buffer; /* address in the device heap where the thread stores the arguments */
  const Function *kernel;
  uint32_t grid[3], block[3], shared;
  uint64_t from;   /* number of the launching block */
  uint8_t *params; /* the arguments once it is launched, else NULL */
} Child;

typedef struct {
  pthread_mutex_t lock;
  Child *child;
  size_t count, capacity;
} Children;

void children_open(Children *all);
/* False when out of memory. */
bool children_prepare(Children *all, const Child *child);
/* Sets *out to the child that is prepared at address `buffer`; false if there is none. */
bool children_find(Children *all, uint64_t buffer, Child *out);
/* Marks the child at `buffer` as launched by block `from`, and takes ownership of its arguments. */
void children_launch(Children *all, uint64_t buffer, uint64_t from, uint8_t *params);
/* Moves the launches into the result, ordered by launching block and then by time. False when out
 * of memory. */
bool children_take(Children *all, EmuResult *result);

#endif
