/* launch.h: kernels run, at once and to their end. */
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

/* What stands in the way, as the launch call returns it. */
CUresult launch_check(const KernelLaunch *l);
/* A fault of the kernel stays in the context, for later calls. */
CUresult launch_run(const KernelLaunch *l);

#endif
