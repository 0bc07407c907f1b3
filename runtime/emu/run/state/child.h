/* child.h: launches by kernels (dynamic parallelism): recorded while their parent runs, and
 * returned to the parent's launcher, who runs them. */
#ifndef KGEN_EMU_RUN_STATE_CHILD_H
#define KGEN_EMU_RUN_STATE_CHILD_H

#include <pthread.h>

#include "emu/ptx/ast.h"

/* A launch that a thread prepares, or has made. */
typedef struct {
  uint64_t buffer; /* where the thread puts the arguments, in the device's heap */
  const Function *kernel;
  uint32_t grid[3], block[3], shared;
  uint64_t from;   /* the block that launched it */
  uint8_t *params; /* set once it is launched; else NULL */
} Child;

typedef struct {
  pthread_mutex_t lock;
  Child *child;
  size_t count, capacity;
} Children;

void children_open(Children *all);
/* False when out of memory. */
bool children_prepare(Children *all, const Child *child);
/* Sets *out to the child that is prepared at `buffer`; false if there is none. */
bool children_find(Children *all, uint64_t buffer, Child *out);
/* Marks it as launched by block `from`; the list takes ownership of its arguments, `params`. */
void children_launch(Children *all, uint64_t buffer, uint64_t from, uint8_t *params);
/* The launches, in the order of the launching blocks, and within a block in time. */
bool children_take(Children *all, EmuResult *result);

#endif
