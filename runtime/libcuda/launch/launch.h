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
  void **params; /* one pointer per parameter */
  uint64_t kept; /* the function's id if the launch was kept for later; else 0 */
  bool
      programmatic; /* its attribute: it may begin before the stream's preceding kernel has ended */
  /* as in EmuLaunch */
  EmuTrace *const *primary;
  int primaries;
  EmuTrace **trace;
} KernelLaunch;

/* Returns pointers to the parameters that lie in one block, each at its offset, or in the block
 * that CUDA takes in the list `extra`; NULL if there is none. The caller frees the array. */
void **launch_point(const Function *f, char *block);
void **launch_unpack(const Function *f, void **extra);
/* Reports an error of a launch call; returns it. */
CUresult launch_record_failure(const KernelLaunch *l, CUresult result);
/* Returns the error that the launch call returns, if the launch is invalid. */
CUresult launch_check(const KernelLaunch *l);
/* Runs the kernel to its end. A fault becomes the context's sticky error. */
CUresult launch_run(const KernelLaunch *l);

/* A launch that waits for what the host will write. */
typedef struct {
  Function *function;
  EmuRun *run; /* NULL: it has ended */
} Waiting;

/* Runs the kernel likewise, but leaves a launch that only polls memory in *waiting, which else is
 * empty. */
CUresult launch_begin(const KernelLaunch *l, Waiting *waiting);
/* Goes on with it, until it has only polled for so many warp instructions (0: it must end). */
void launch_go_on(Waiting *waiting, uint64_t patience);
/* Ends it as it is. */
void launch_drop(Waiting *waiting);

#endif
