/* launch.h: checks launches and runs them synchronously. */
#ifndef KGEN_LIBCUDA_LAUNCH_H
#define KGEN_LIBCUDA_LAUNCH_H

#include <stdbool.h>

#include "libcuda/module.h"

typedef struct {
  Function *function;
  uint32_t grid[3], block[3], cluster[3]; /* cluster 0: the kernel's own */
  uint32_t shared_bytes;
  bool cooperative;
  void **params; /* one pointer a parameter */
} KernelLaunch;

/* Returns the error that the launch call returns, if the launch is invalid. */
CUresult launch_check(const KernelLaunch *l);
/* Runs the kernel. A fault becomes the context's sticky error. */
CUresult launch_run(const KernelLaunch *l);

#endif
