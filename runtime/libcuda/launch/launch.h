/* SPDX-License-Identifier: MIT */
/* launch.h: checks launches and runs them. */
#ifndef KGEN_LIBCUDA_LAUNCH_LAUNCH_H
#define KGEN_LIBCUDA_LAUNCH_LAUNCH_H

#include <stdbool.h>

#include "libcuda/state/module.h"

typedef struct {
  Function *function;
  uint32_t grid[3], block[3], cluster[3]; /* cluster 0: the kernel's own */
  uint32_t shared_bytes;
  bool cooperative;
  void **params;     /* one pointer per parameter */
  uint64_t kept;     /* the function's id if the launch was deferred; else 0 */
  bool programmatic; /* launch attribute: may begin before the stream's preceding kernel has
                        ended */
  /* as in EmuLaunch */
  EmuTrace *const *primary;
  int primaries;
  EmuTrace **trace;
} KernelLaunch;

/* launch_point(): returns pointers to the parameters, which are at their offsets in one block.
 * launch_unpack(): the same for the block in the list `extra`. NULL if there is none. The caller
 * frees the array. */
void **launch_point(const Function *f, char *block);
void **launch_unpack(const Function *f, void **extra);
/* Reports a failed launch call; returns its error. */
CUresult launch_record_failure(const KernelLaunch *l, CUresult result);
/* Returns the error of an invalid launch, which the launch call returns. */
CUresult launch_check(const KernelLaunch *l);
/* Runs the kernel to its end. A fault becomes the context's sticky error. */
CUresult launch_run(const KernelLaunch *l);

/* A launch that waits for the host to write memory. */
typedef struct {
  Function *function;
  EmuRun *run; /* NULL: the launch has ended */
} Waiting;

/* Like launch_run(), but leaves a launch that only polls memory in *waiting, which is otherwise
 * empty. */
CUresult launch_begin(const KernelLaunch *l, Waiting *waiting);
/* Continues the launch until it has only polled for `patience` warp instructions; 0: until it
 * ends. */
void launch_go_on(Waiting *waiting, uint64_t patience);
/* Ends the launch in its current state. */
void launch_drop(Waiting *waiting);

#endif
