/* child.h: launches by kernels (dynamic parallelism): noted while their parent runs, and handed to
 * whoever launched it, who runs them. */
#ifndef KGEN_EMU_CHILD_H
#define KGEN_EMU_CHILD_H

#include <pthread.h>

#include "emu/ptx/ast.h"

/* One that a thread prepares, or has launched. */
typedef struct {
  uint64_t buffer; /* where the thread puts the arguments, in the device's heap */
  const Function *kernel;
  uint32_t grid[3], block[3], shared;
  uint64_t from;   /* the block that launched it */
  uint8_t *params; /* once it is launched; else NULL */
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
/* Marks it as launched by block `from`; `params`, its arguments, become the list's. */
void children_launch(Children *all, uint64_t buffer, uint64_t from, uint8_t *params);
/* Those that were launched, in the order of the blocks that did, and of the time within one. */
bool children_take(Children *all, EmuResult *result);

#endif
